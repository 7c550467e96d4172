import { DAY_MS } from "../../../../shared/units.ts";

/** A session ends after this time, even if it is in use. */
export const SESSION_LIFETIME_MS = 7 * DAY_MS;

export const sessionLifetimeSeconds = SESSION_LIFETIME_MS / 1000;
