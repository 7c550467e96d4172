import type { TransactionSql } from "postgres";
import { openPostgres } from "./postgres.ts";

/** An arbitrary number that nothing else in the database locks. */
const LOCK_KEY = 4_829_117_303;
const LOCK_TIMEOUT_MS = 5 * 60 * 1000;
/** Whoever asks nothing for so long is gone, which the system may tell the database only after hours. Others wait longer. */
const IDLE_MS = 4 * 60 * 1000;

/**
 * Runs `work` while no other process changes the schema. The lock belongs to the transaction that `work` is given, so it
 * ends with the connection in any case. Changes in that transaction commit with it.
 */
export async function withStartupLock<Result>(
  url: string,
  work: (tx: TransactionSql) => Promise<Result>,
  idleMs = IDLE_MS,
): Promise<Result> {
  const sql = openPostgres(url, { max: 1, connection: { application_name: "exameteca-startup" } });
  try {
    return (await sql.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true),
        set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true)`;
      await tx`select pg_advisory_xact_lock(${LOCK_KEY})`;
      // `work` may ask another connection alone for longer.
      const asking = setInterval(() => tx`select 1`.catch(() => {}), idleMs / 4); // told by what is asked next
      try {
        return await work(tx);
      } finally {
        clearInterval(asking);
      }
    })) as Result;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
