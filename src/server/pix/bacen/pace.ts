import { setTimeout as sleep } from "node:timers/promises";

/** What repeating a call needs of time and chance; tests bring their own, so that none of them waits. */
export interface Pace {
  /** Milliseconds of a clock that only goes forward. */
  elapsedMs(): number;
  /** Rejects where `signal` aborts. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to but not including 1. */
  random(): number;
}

export const realPace: Pace = {
  elapsedMs: () => performance.now(),
  sleep: (delayMs, signal) => sleep(delayMs, undefined, { signal }),
  random: Math.random,
};
