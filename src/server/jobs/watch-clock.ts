import type { Deps } from "../deps.ts";
import { describeError } from "../runtime/log.ts";
import { moveToSetBackClock, wasClockSetBack } from "./clock-set-back.repo.ts";

const LOOK_MS = 60_000;

/** Has jobs go on after the database's clock was ahead and was set back, now and until it is disposed. */
export async function watchClock(
  { db, log }: Pick<Deps, "db" | "log">,
  { everyMs = LOOK_MS }: { everyMs?: number } = {},
): Promise<Disposable> {
  async function move(): Promise<void> {
    const moved = await moveToSetBackClock(db);
    if (moved > 0) log.warn("jobs.clock_set_back", { moved });
  }
  await move();
  const timer = setInterval(async () => {
    try {
      if (await wasClockSetBack(db)) await move();
    } catch (error) {
      log.warn("jobs.clock_not_seen", describeError(error));
    }
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
