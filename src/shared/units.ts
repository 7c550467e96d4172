/** Lengths of time in milliseconds, and sizes in bytes. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const MIB = 1024 ** 2;
/** The GB of plans and limits. */
export const GIB = 1024 ** 3;
