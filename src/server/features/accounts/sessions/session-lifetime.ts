/** A session ends after this time, even if it is in use. */
export const SESSION_LIFETIME_MS = 7 * 24 * 3600_000;

export const sessionLifetimeSeconds = SESSION_LIFETIME_MS / 1000;
