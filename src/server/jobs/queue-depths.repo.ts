import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";

export interface QueueDepth {
  /** As in the database: the queues of nodes end with the node's id. */
  name: string;
  /** Jobs that could run now. */
  waiting: number;
  /** Jobs for later, retries among them. */
  delayed: number;
  /** Jobs that run, as pg-boss last counted them (every ten seconds). */
  active: number;
  /** How long ago the oldest waiting job could have run. 0 if none waits. */
  oldestSeconds: number;
}

/** A bound above the number of queues on many nodes. */
const MAX_QUEUES = 10_000;

/** How many jobs each queue holds. Done jobs are not read, because waiting jobs have an index of their own. */
export async function measureQueues(db: Db): Promise<QueueDepth[]> {
  const rows = await db.execute<{ [Column in keyof QueueDepth]: QueueDepth[Column] }>(sql`
    select q.name, coalesce(j.waiting, 0)::int as waiting, coalesce(j.delayed, 0)::int as delayed,
      q.active_count as active, coalesce(j.oldest_seconds, 0)::float8 as "oldestSeconds"
    from pgboss.queue q left join (
      select name,
        count(*) filter (where start_after <= now()) as waiting,
        count(*) filter (where start_after > now()) as delayed,
        extract(epoch from now() - min(start_after) filter (where start_after <= now())) as oldest_seconds
      from pgboss.job where state < 'active' and not blocked group by name
    ) j on j.name = q.name
    where q.name not like '\\_\\_%' order by q.name limit ${MAX_QUEUES}`);
  return [...rows];
}
