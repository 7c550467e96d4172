import { type SQL, sql } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "../db/client.ts";
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

/** How many of each queue's jobs are dead letters. */
export async function countDeadLetters(db: DbOrTx, ids: readonly string[]): Promise<Map<string, number>> {
  return await countByQueue(
    db,
    sql`select source_name from pgboss.job where ${isWaiting} and ${isOneOf(ids)}`,
  );
}

/** Like {@link countDeadLetters}, after whoever settles some of them now. Nobody else settles those counted before `tx` ends. */
export async function lockDeadLetters(tx: Tx, ids: readonly string[]): Promise<Map<string, number>> {
  const chosen = sql`select source_name from pgboss.job where ${isWaiting} and ${isOneOf(ids)} order by id for update`;
  return await countByQueue(tx, chosen);
}

const isOneOf = (ids: readonly string[]) => sql`id = any(${sql.param([...ids])}::uuid[])`;

async function countByQueue(db: DbOrTx, letters: SQL): Promise<Map<string, number>> {
  const rows = await db.execute<{ queue: string; letters: number }>(sql`
    select coalesce(source_name, '') as queue, count(*)::int as letters from (${letters}) as letter group by 1`);
  return new Map([...rows].map(({ queue, letters }) => [queue, letters]));
}
