import { sql } from "drizzle-orm";
import type { Db } from "../../db/client.ts";
import { nodes } from "./nodes.table.ts";

export interface Beat {
  id: string;
  bootId: string;
  platform: string;
  /** A node that was silent for longer is not steady. */
  pauseSeconds: number;
}

/** Records that a node is alive. Returns whether it had been swept as dead before. */
export async function recordBeat(db: Db, { id, bootId, platform, pauseSeconds }: Beat): Promise<boolean> {
  const now = sql`now()`;
  const before = db.$with("before").as(db.select().from(nodes).where(sql`${nodes.id} = ${id}`));
  const pausedAt = sql`now() - make_interval(secs => ${pauseSeconds})`;
  const isSteady = sql`${nodes.bootId} = ${bootId} and ${nodes.lastBeatAt} between ${pausedAt} and now()`;
  const [row] = await db
    .with(before)
    .insert(nodes)
    .values({ id, bootId, platform, startedAt: now, steadySince: now, lastBeatAt: now })
    .onConflictDoUpdate({
      target: nodes.id,
      set: {
        startedAt: sql`case when ${nodes.bootId} = ${bootId} then ${nodes.startedAt} else now() end`,
        steadySince: sql`case when ${isSteady} then ${nodes.steadySince} else now() end`,
        ...{ bootId, platform, lastBeatAt: now, sweptAt: null },
      },
    })
    .returning({ wasSwept: sql<boolean>`(select swept_at is not null from before)` });
  return row?.wasSwept === true;
}
