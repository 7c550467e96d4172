import type { Deps } from "../deps.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { describeError } from "../runtime/log.ts";

const LOOK_MS = 1_000;
/** A clock that is corrected evenly moves by less between two looks. */
const JUMP_MS = 500;

/**
 * Measures the database's clock anew within a second of a jump of this machine's, or of its waking from a pause, until it is disposed.
 * Between two beats a node would go by the wrong time, and write it. While the database is away, each look tries again.
 * @param options.system the clock of this node's machine
 */
export function watchJumps(
  { db, log, databaseClock }: Pick<Deps, "db" | "log" | "databaseClock">,
  { everyMs = LOOK_MS, system = systemClock }: { everyMs?: number; system?: Clock } = {},
): AsyncDisposable {
  /** How much the machine's clock is ahead of one that never jumps. */
  const readLead = () => system.now().getTime() - performance.now();
  let leadMs = readLead();
  let hasJumped = false;
  let isStopped = false;
  let timer: Timer | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const before = leadMs;
    leadMs = readLead();
    const jumpedMs = leadMs - before;
    if (Math.abs(jumpedMs) >= JUMP_MS) {
      log.warn("node.clock_jumped", { seconds: Math.round(jumpedMs / 1000) });
      hasJumped = true;
    }
    if (!hasJumped) return;
    try {
      await databaseClock.follow(db, system);
      hasJumped = false;
    } catch (error) {
      // Said once a jump, not at each look.
      if (Math.abs(jumpedMs) >= JUMP_MS) log.warn("node.clock_not_measured", describeError(error));
    }
  }

  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      looking = look().then(schedule);
    }, everyMs);
    timer.unref();
  }

  schedule();
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
