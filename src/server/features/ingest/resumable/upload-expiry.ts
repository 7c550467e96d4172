import { DAY_MS } from "../../../../shared/units.ts";

const KEPT_MS = 7 * DAY_MS;

/** When an upload expires to which bytes came at `now`. */
export function expiryAfter(now: Date): Date {
  return new Date(now.getTime() + KEPT_MS);
}
