import type { Sql } from "postgres";

/** For a busy machine. */
const MOST_MS = 150_000;
const PAUSE_MS = 20;

/** Waits until something holds, and looks every 20 ms. @throws if it does not hold within `mostMs` */
export async function until(holds: () => boolean | Promise<boolean>, mostMs = MOST_MS): Promise<void> {
  const deadline = performance.now() + mostMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`it did not come to hold in ${mostMs} ms: ${holds}`);
    await Bun.sleep(PAUSE_MS);
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
