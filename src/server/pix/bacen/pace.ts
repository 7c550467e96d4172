import { setTimeout as sleep } from "node:timers/promises";

/** The time and randomness that calls and retries need. Tests bring their own, so that they never wait. */
export interface Pace {
  /** Milliseconds of a monotonic clock. */
  elapsedMs(): number;
  /** Rejects if `signal` aborts. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
  /** Aborts with a `TimeoutError` once so much time has passed. */
  limit(limitMs: number): AbortSignal;
  /** From 0 up to but not including 1. */
  random(): number;
}

export const realPace: Pace = {
  elapsedMs: () => performance.now(),
  sleep: (delayMs, signal) => sleep(delayMs, undefined, { signal }),
  limit: AbortSignal.timeout.bind(AbortSignal),
  random: Math.random,
};
