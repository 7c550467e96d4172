import type { Deps } from "../deps.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { describeError } from "../runtime/log.ts";

const LOOK_MS = 1_000;
/** A clock that is corrected evenly moves by less between two looks. */
const JUMP_MS = 500;

/**
 * Measures the database's clock anew within a second of a jump of this machine's, or of its waking from a pause, until it is disposed.
 * Between two beats a node would go by the wrong time, and write it. A failure is only logged: the next beat measures too.
 * @param options.system the clock of this node's machine
 */
export function watchJumps(
  { db, log, databaseClock }: Pick<Deps, "db" | "log" | "databaseClock">,
  { everyMs = LOOK_MS, system = systemClock }: { everyMs?: number; system?: Clock } = {},
): AsyncDisposable {
  /** How much the machine's clock is ahead of one that never jumps. */
  const readLead = () => system.now().getTime() - performance.now();
  let leadMs = readLead();
  let following: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const before = leadMs;
    leadMs = readLead();
    if (Math.abs(leadMs - before) < JUMP_MS) return;
    log.warn("node.clock_jumped", { seconds: Math.round((leadMs - before) / 1000) });
    try {
      await databaseClock.follow(db, system);
    } catch (error) {
      log.warn("node.clock_not_measured", describeError(error));
    }
  }

  const timer = setInterval(() => {
    following = following.then(look);
  }, everyMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await following;
    },
  };
}
