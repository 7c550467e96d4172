/** Tells the current time. Tests bring their own. */
export interface Clock {
  now(): Date;
}

/** Milliseconds of a clock that never jumps, to measure how long something takes. Tests bring their own. */
export type ElapsedMs = () => number;

export const systemElapsedMs: ElapsedMs = () => performance.now();

export const systemClock: Clock = { now: () => new Date() };
