const KEPT_MS = 7 * 24 * 3600_000;

/** When an upload expires to which bytes came at `now`. */
export function expiryAfter(now: Date): Date {
  return new Date(now.getTime() + KEPT_MS);
}
