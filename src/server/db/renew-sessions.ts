import { isDatabaseUnavailable } from "./database.errors.ts";
import { Patience } from "./patience.ts";
import { openPostgres, type Sql } from "./postgres.ts";
import { preparing } from "./preparing.ts";

const LOOK_EVERY_MS = 2_000;
const ANSWER_MS = 10_000;

/**
 * Ends the sessions of a pool that are read-only once new ones are not: a session keeps the default that the server, the database or
 * the role had when it began, and a busy one would keep it for an hour. The pool opens others when it needs them.
 * @param most the connections of the pool
 */
export function renewReadOnly(sql: Sql, url: string, most: number, patience: Patience): void {
  const pool = preparing(sql, patience);
  const end = new AbortController();
  let isLooking = false;

  async function look(): Promise<void> {
    if (end.signal.aborted) return;
    try {
      if (!(await takesChanges(url))) return lookLater();
      // At once, since one after the other would all get the session that was used last. One that is busy is found by its next change.
      await Promise.all(Array.from({ length: most }, () => endIfReadOnly(pool)));
      isLooking = false;
    } catch {
      // Whoever uses the pool is told what is wrong.
      lookLater();
    }
  }

  function lookLater(): void {
    setTimeout(look, LOOK_EVERY_MS).unref();
  }

  patience.foundReadOnly = () => {
    if (isLooking) return;
    isLooking = true;
    lookLater();
  };
  const endPool = sql.end;
  Object.assign(sql, {
    end(options?: { timeout?: number }) {
      end.abort();
      return endPool(options);
    },
  });
}

const READ_ONLY = "select current_setting('transaction_read_only') = 'on' as is_read_only";
const LOOKED_AT = `${READ_ONLY}, extract(epoch from backend_start)::float8 as began_at,
  extract(epoch from clock_timestamp())::float8 as now from pg_stat_activity where pid = pg_backend_pid()`;
/** A session that began longer ago was kept by a pooler. */
const NEW_SECONDS = 1;
/** More than a pooler keeps for several nodes. */
const MAX_KEPT = 1_000;

/**
 * Whether a session that begins now may change something. A pooler gives sessions that began earlier, and would give a read-only one for
 * an hour: each such session is ended until one is new.
 */
export async function takesChanges(url: string): Promise<boolean> {
  const patience = new Patience(ANSWER_MS);
  const connection = { application_name: "exameteca-look", statement_timeout: ANSWER_MS };
  const sql = openPostgres(url, { max: 1, connection }, patience.sockets);
  const pool = preparing(sql, patience);
  try {
    // One that began after another was looked at is new, however long it takes to begin.
    let keptBefore: number | undefined;
    for (let ended = 0; ended < MAX_KEPT; ended++) {
      const [row] = await pool.unsafe(LOOKED_AT);
      if (row?.is_read_only !== true) return row?.is_read_only === false;
      if (row.began_at >= (keptBefore ?? row.now - NEW_SECONDS)) return false;
      keptBefore = row.now;
      await endIfReadOnly(pool);
    }
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Ends the session that it is given if that is read-only. */
async function endIfReadOnly(pool: Sql): Promise<void> {
  try {
    await pool.begin(async (tx) => {
      const [row] = await tx.unsafe(READ_ONLY);
      if (row?.is_read_only === true) await tx.unsafe("select pg_terminate_backend(pg_backend_pid())");
    });
  } catch (error) {
    // How a session says that it ends.
    if (!isDatabaseUnavailable(error)) throw error;
  }
}
