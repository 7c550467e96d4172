import { sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { DEAD_LETTERS } from "../../jobs/queue.ts";
import { purgeQueue } from "../holding-queues.ts";

/** Those among the keys that no row needs any more: a job is about to delete them from the archive store, or has failed to. */
export async function findKeysToPurge(db: DbOrTx, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const { name } = purgeQueue;
  const rows = await db.execute<{ key: string }>(sql`
    select distinct key from pgboss.job, jsonb_array_elements_text(data -> 'keys') as purged (key)
    where (name = ${name} and state <= 'active' or name = ${DEAD_LETTERS} and source_name = ${name} and state < 'active')
      and key = any(${sql.param([...keys])}::text[])`);
  return new Set([...rows].map(({ key }) => key));
}
