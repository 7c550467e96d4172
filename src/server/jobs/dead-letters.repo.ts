import { sql } from "drizzle-orm";
import type { Db, DbOrTx } from "../db/client.ts";
import { DEAD_LETTERS } from "./queue.ts";

export interface DeadLetterRow {
  id: string;
  /** As in the database: the queues of nodes end with the node's id. */
  queue: string;
  diedAt: Date;
  attempts: number;
  errorName: string | null;
  errorCode: string | null;
}

const isWaiting = sql`name = ${DEAD_LETTERS} and state < 'active'`;
/** Longer names are no names of errors. */
const MAX_TEXT = 100;

/** The latest dead letters, newest first. What the jobs carried stays in the database. */
export async function listDeadLetters(db: Db, limit: number): Promise<DeadLetterRow[]> {
  const rows = await db.execute<Omit<DeadLetterRow, "diedAt"> & { diedAt: string }>(sql`
    select id, coalesce(source_name, '') as queue, created_on as "diedAt",
      coalesce(source_retry_count, 0) + 1 as attempts,
      left(case when source_output -> 'value' ->> 'message' like '%timeout%' then 'Timeout'
        else source_output ->> 'name' end, ${MAX_TEXT}) as "errorName",
      left(source_output ->> 'code', ${MAX_TEXT}) as "errorCode"
    from pgboss.job where ${isWaiting} order by created_on desc, id limit ${limit}`);
  return rows.map((row) => ({ ...row, diedAt: new Date(row.diedAt) }));
}

/** How many of each queue's jobs are dead letters, of the given ones alone if `ids` is there. */
export async function countDeadLetters(db: DbOrTx, ids?: readonly string[]): Promise<Map<string, number>> {
  const isChosen = ids ? sql`and id = any(${sql.param([...ids])}::uuid[])` : sql``;
  const rows = await db.execute<{ queue: string; letters: number }>(sql`
    select coalesce(source_name, '') as queue, count(*)::int as letters
    from pgboss.job where ${isWaiting} ${isChosen} group by 1`);
  return new Map([...rows].map(({ queue, letters }) => [queue, letters]));
}
