import type { Deps } from "../deps.ts";
import { describeError } from "../runtime/log.ts";
import { moveToSetBackClock, wasClockSetBack } from "./clock-set-back.repo.ts";

const LOOK_MS = 60_000;

/**
 * Has jobs go on after the database's clock was ahead and was set back, now and until it is disposed. A failure is only logged, because
 * the next look tries again.
 */
export async function watchClock(
  { db, log }: Pick<Deps, "db" | "log">,
  { everyMs = LOOK_MS }: { everyMs?: number } = {},
): Promise<AsyncDisposable> {
  async function look({ isStart }: { isStart: boolean }): Promise<void> {
    try {
      if (!isStart && !(await wasClockSetBack(db))) return;
      const moved = await moveToSetBackClock(db);
      if (moved > 0) log.warn("jobs.clock_set_back", { moved });
    } catch (error) {
      log.warn("jobs.clock_not_seen", describeError(error));
    }
  }
  await look({ isStart: true });
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(() => look({ isStart: false }));
  }, everyMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
    },
  };
}
