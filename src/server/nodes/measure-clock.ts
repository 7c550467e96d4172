import { type Db, readClock } from "../db/client.ts";
import type { Clock } from "../runtime/clock.ts";

/** How far this node's clock is ahead of the database's, in seconds. */
export async function measureClock({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  const askedAt = clock.now().getTime();
  const databaseMs = await readClock(db);
  return ((askedAt + clock.now().getTime()) / 2 - databaseMs) / 1000;
}
