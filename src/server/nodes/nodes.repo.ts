import { and, desc, eq, inArray, isNotNull, isNull, ne, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Db, DbOrTx, Tx } from "../db/client.ts";
import type { DiskSpace } from "../storage/disk/disk-space.ts";
import type { StoreRefusal } from "../storage/object-store.ts";
import { nodes } from "./nodes.table.ts";

/** No installation has this many nodes. */
const MAX_DISKS = 1_000;

export interface Beat {
  id: string;
  bootId: string;
  platform: string;
  version: string;
  /** Left out if it could not be read; what the last beat told stays then. */
  disk?: DiskSpace & { takesBytes: boolean };
  /** Why the store refused what this node put last. */
  storeRefusal?: StoreRefusal | undefined;
  /** A node that was silent for longer does not count as steady. */
  pauseSeconds: number;
}

/** Records that a node is alive. Returns since when this run has beaten without a pause. */
export async function recordBeat(db: Db, beat: Beat): Promise<Date> {
  const { id, bootId, platform, version, disk, storeRefusal = null, pauseSeconds } = beat;
  const now = sql`now()`;
  const pausedAt = sql`now() - make_interval(secs => ${pauseSeconds})`;
  const isSteady = sql`${nodes.bootId} = ${bootId} and ${nodes.sweptAt} is null and ${nodes.lastBeatAt} between ${pausedAt} and now()`;
  const ofDisk = disk && {
    diskFreeBytes: disk.freeBytes,
    diskSizeBytes: disk.sizeBytes,
    diskTakesBytes: disk.takesBytes,
  };
  const told = { bootId, platform, version, storeRefusal, ...ofDisk };
  const [row] = await db
    .insert(nodes)
    .values({ id, startedAt: now, steadySince: now, lastBeatAt: now, ...told })
    .onConflictDoUpdate({
      target: nodes.id,
      set: {
        startedAt: sql`case when ${nodes.bootId} = ${bootId} then ${nodes.startedAt} else now() end`,
        steadySince: sql`case when ${isSteady} then ${nodes.steadySince} else now() end`,
        ...told,
        lastBeatAt: now,
        sweptAt: null,
      },
    })
    .returning({ steadySince: nodes.steadySince });
  if (!row) throw new Error("the beat was not recorded");
  return row.steadySince;
}

/** Records nodes that other rows name but that have never beaten: they run an older version, or are long gone. */
export async function noticeNodes(db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const now = sql`now()`;
  const rows = ids.map((id) => ({ id, startedAt: now, steadySince: now, lastBeatAt: now }));
  await db.insert(nodes).values(rows).onConflictDoNothing();
}

/**
 * Moves the times of nodes that beat while the database's clock was ahead to now: one that has died since would be taken for alive until
 * that time comes.
 */
export async function moveBeatsToSetBackClock(db: Db): Promise<void> {
  const { startedAt, steadySince, lastBeatAt } = nodes;
  const notAhead = (column: PgColumn) => sql`case when ${column} > now() then now() else ${column} end`;
  await db
    .update(nodes)
    .set({
      startedAt: notAhead(startedAt),
      steadySince: notAhead(steadySince),
      lastBeatAt: notAhead(lastBeatAt),
    })
    .where(sql`${lastBeatAt} > now() + interval '1 minute'`);
}

/** A node that is silent for longer counts as dead. One that never beat gets a day, because older versions do not beat. */
const silence = sql`case when ${nodes.bootId} is null then interval '1 day' else interval '10 minutes' end`;
/** A node that is silent for longer has missed two beats. */
const twoBeats = sql`interval '90 seconds'`;
/** A node judges others only after it has itself beaten for this long: after a database outage, all nodes look dead. */
const judgeIsSteady = (
  selfId: string,
) => sql`exists (select 1 from ${nodes} as judge where judge.id = ${selfId}
  and judge.steady_since < now() - interval '2 minutes' and judge.last_beat_at > now() - ${twoBeats})`;

/** Locks a dead node that is neither swept nor being swept by another node, if there is one. */
export async function claimDeadNode(tx: Tx, selfId: string): Promise<typeof nodes.$inferSelect | undefined> {
  const isDead = sql`${nodes.sweptAt} is null and ${nodes.lastBeatAt} < now() - ${silence}`;
  const [node] = await tx
    .select()
    .from(nodes)
    .where(and(ne(nodes.id, selfId), isDead, judgeIsSteady(selfId)))
    .orderBy(nodes.id)
    .limit(1)
    .for("update", { skipLocked: true });
  return node;
}

export async function markNodeSwept(tx: Tx, id: string): Promise<void> {
  await tx.update(nodes).set({ sweptAt: sql`now()` }).where(eq(nodes.id, id));
}

export async function isSwept(db: DbOrTx, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: nodes.id })
    .from(nodes)
    .where(and(eq(nodes.id, id), isNotNull(nodes.sweptAt)));
  return rows.length > 0;
}

/** Deletes up to `limit` nodes that were swept a month ago, and returns them. Nodes that hold staged bytes stay. */
export async function forgetNodes(db: Db, limit: number): Promise<{ id: string }[]> {
  const isLongGone = sql`${nodes.sweptAt} < now() - interval '30 days' and not exists (
    select 1 from stored_objects where staged_on = ${nodes.id})`;
  const some = db.select({ id: nodes.id }).from(nodes).where(isLongGone).limit(limit);
  return await db.delete(nodes).where(inArray(nodes.id, some)).returning({ id: nodes.id });
}

export type SeenNode = Pick<
  typeof nodes.$inferSelect,
  | "id"
  | "version"
  | "startedAt"
  | "lastBeatAt"
  | "diskFreeBytes"
  | "diskSizeBytes"
  | "diskTakesBytes"
  | "storeRefusal"
> & { state: "up" | "silent" | "gone" };

/** Up to `limit` nodes, those that beat last first. `silent`: a node that missed two beats, `gone`: one that was swept. */
export async function listNodes(db: Db, limit: number): Promise<SeenNode[]> {
  const { id, version, startedAt, lastBeatAt, sweptAt, ...others } = nodes;
  const { diskFreeBytes, diskSizeBytes, diskTakesBytes, storeRefusal } = others;
  const state = sql<SeenNode["state"]>`case when ${sweptAt} is not null then 'gone'
    when ${lastBeatAt} < now() - ${twoBeats} then 'silent' else 'up' end`;
  return await db
    .select({
      id,
      version,
      startedAt,
      lastBeatAt,
      diskFreeBytes,
      diskSizeBytes,
      diskTakesBytes,
      storeRefusal,
      state,
    })
    .from(nodes)
    .orderBy(desc(lastBeatAt), id)
    .limit(limit);
}

type ToldDisk = Pick<typeof nodes.$inferSelect, "id" | "diskToldAt"> & DiskSpace;

/** The disks of nodes that are not swept, as they last told, locked so that one process at a time tells of them. */
export async function lockDisks(tx: Tx): Promise<ToldDisk[]> {
  const { id, diskFreeBytes, diskSizeBytes, diskToldAt } = nodes;
  const rows = await tx
    .select({ id, diskToldAt, freeBytes: diskFreeBytes, sizeBytes: diskSizeBytes })
    .from(nodes)
    .where(and(isNull(nodes.sweptAt), isNotNull(diskFreeBytes)))
    .orderBy(id)
    .limit(MAX_DISKS)
    .for("update");
  return rows.flatMap(({ freeBytes, sizeBytes, ...row }) =>
    freeBytes === null || sizeBytes === null ? [] : [{ ...row, freeBytes, sizeBytes }],
  );
}

export async function markDiskTold(tx: Tx, id: string, diskToldAt: Date | null): Promise<void> {
  await tx.update(nodes).set({ diskToldAt }).where(eq(nodes.id, id));
}

/** A bound above the number of nodes of any installation. */
const MAX_LIVE_NODES = 100;

/** The ids of the nodes that beat lately and have not left. */
export async function listLiveNodes(db: DbOrTx): Promise<string[]> {
  const rows = await db
    .select({ id: nodes.id })
    .from(nodes)
    .where(and(isNotNull(nodes.bootId), isNull(nodes.sweptAt), sql`${nodes.lastBeatAt} > now() - ${silence}`))
    .orderBy(nodes.id)
    .limit(MAX_LIVE_NODES);
  return rows.map(({ id }) => id);
}
