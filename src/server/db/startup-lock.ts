import type { TransactionSql } from "postgres";
import { DatabaseUnavailable } from "./database.errors.ts";
import { type Backend, unlessLost } from "./lost-answer.ts";
import { Patience, type SentStatement } from "./patience.ts";
import { openPostgres } from "./postgres.ts";

/** An arbitrary number that nothing else in the database locks. */
const LOCK_KEY = 4_829_117_303;
const LOCK_TIMEOUT_MS = 5 * 60 * 1000;
/** Whoever asks nothing for so long is gone, which the system may tell the database only after hours. Others wait longer. */
const IDLE_MS = 4 * 60 * 1000;
/** A start has time, and the driver takes some to connect. */
const ANSWER_MS = 35_000;
/** The time between two looks at a backend that has not answered yet. */
const LOOK_MS = 30_000;

export interface StartupLockOptions {
  idleMs?: number | undefined;
  /** How long the transaction may take to begin and to end; what `work` asks may take as long as it needs. */
  patience?: Patience | undefined;
  lookMs?: number | undefined;
}

/** Waits for what only the transaction's own statements do, as long as the database works on it. @throws {DatabaseUnavailable} */
type Answered = <Result>(work: Promise<Result>) => Promise<Result>;

/**
 * Runs `work` while no other process changes the schema. The lock belongs to the transaction that `work` is given, so it
 * ends with the connection in any case. Changes in that transaction commit with it.
 * @throws {DatabaseUnavailable} if the transaction gets no answer to its beginning or its end, which it may have reached, or if one is
 *   lost to what it waits for with `answered`
 */
export async function withStartupLock<Result>(
  url: string,
  work: (tx: TransactionSql, answered: Answered) => Promise<Result>,
  { idleMs = IDLE_MS, patience = createPatience(), lookMs = LOOK_MS }: StartupLockOptions = {},
): Promise<Result> {
  const connection = { application_name: "exameteca-startup" };
  const sql = openPostgres(url, { max: 1, connection }, patience.sockets);
  const begin = (run: (tx: unknown) => unknown) => sql.begin(run) as Promise<Result>;
  try {
    return await patience.begin(begin, async (begun) => {
      const tx = begun as TransactionSql;
      const limited = tx`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true),
        set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true),
        pid, extract(epoch from backend_start)::text as "startedAt" from pg_stat_activity where pid = pg_backend_pid()`;
      const [row] = await patience.watch(limited as typeof limited & SentStatement);
      const backend = row as unknown as Backend;
      const answered: Answered = async (answer) => {
        try {
          return await unlessLost(answer, { url, backend, lookMs });
        } catch (error) {
          // It would have to answer the rollback too.
          if (error instanceof DatabaseUnavailable) patience.sockets.breakSilent(performance.now(), 0);
          throw error;
        }
      };
      await answered(tx`select pg_advisory_xact_lock(${LOCK_KEY})`.execute());
      // `work` may ask another connection alone for longer.
      const asking = setInterval(() => tx`select 1`.catch(() => {}), idleMs / 4); // told by what is asked next
      try {
        return await work(tx, answered);
      } finally {
        clearInterval(asking);
      }
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const createPatience = () => new Patience(ANSWER_MS, ANSWER_MS);
