import type { Pace } from "../../../src/server/pix/bacen/pace.ts";

/** A pace that records waits without waiting, and whose random numbers a test sets. */
export interface StillPace extends Pace {
  /** How long was waited, in milliseconds. */
  slept: number[];
  chance: number;
  pass(milliseconds: number): void;
}

export function createStillPace(): StillPace {
  let now = 1_000;
  const pace: StillPace = {
    slept: [],
    chance: 0.5,
    elapsedMs: () => now,
    async sleep(delayMs, signal) {
      signal.throwIfAborted();
      pace.slept.push(delayMs);
      now += delayMs;
    },
    random: () => pace.chance,
    pass(milliseconds) {
      now += milliseconds;
    },
  };
  return pace;
}
