import type { Pace } from "../../../src/server/pix/bacen/pace.ts";

/** A pace that records waits without waiting, and whose random numbers a test sets. */
export interface StillPace extends Pace {
  /** How long was waited, in milliseconds. */
  slept: number[];
  chance: number;
  pass(milliseconds: number): void;
  /** Lets whoever waits for an answer wait in vain: time passes to the end of every limit. */
  lapse(): void;
}

export function createStillPace(): StillPace {
  let now = 1_000;
  const limits = new Map<AbortController, number>();
  const pace: StillPace = {
    slept: [],
    chance: 0.5,
    elapsedMs: () => now,
    async sleep(delayMs, signal) {
      signal.throwIfAborted();
      pace.slept.push(delayMs);
      now += delayMs;
    },
    limit(limitMs) {
      const limit = new AbortController();
      limits.set(limit, now + limitMs);
      return limit.signal;
    },
    random: () => pace.chance,
    pass(milliseconds) {
      now += milliseconds;
    },
    lapse() {
      now = Math.max(now, ...limits.values());
      for (const limit of limits.keys()) limit.abort(new DOMException("it took too long", "TimeoutError"));
      limits.clear();
    },
  };
  return pace;
}
