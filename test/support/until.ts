import type { Sql } from "postgres";

/** For a busy machine. */
const MOST_MS = 150_000;
const PAUSE_MS = 20;
/** Of what passed between two looks, the rest was a machine that stood still, and with it what is waited for. */
const MOST_A_LOOK_MS = 1_000;

/** Waits until something holds, and looks every 20 ms. @throws if it does not hold within `mostMs` of time in which this process runs */
export async function until(holds: () => boolean | Promise<boolean>, mostMs = MOST_MS): Promise<void> {
  let lookedAt = performance.now();
  let waitedMs = 0;
  while (!(await holds())) {
    if (waitedMs > mostMs) throw new Error(`it did not come to hold in ${mostMs} ms: ${holds}`);
    await Bun.sleep(PAUSE_MS);
    const now = performance.now();
    waitedMs += Math.min(now - lookedAt, MOST_A_LOOK_MS);
    lookedAt = now;
  }
}

/** Waits until so many connections to the database wait for a row that another one holds. */
export async function untilLockWaits(sql: Sql, connections = 1): Promise<void> {
  await until(async () => {
    const waiting = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length >= connections;
  });
}
