/** Smaller differences come from the header's whole seconds and the network delay. */
const TOLERANCE_MS = 2_000;

let aheadMs = 0;

/**
 * Learns from an answer's `Date` header how far the browser's clock is off. Cacheable answers are ignored, because one
 * from the browser's cache has an old date.
 */
export function noteServerTime({ headers }: Response): void {
  const told = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(told) || !headers.get("cache-control")?.includes("no-store")) return;
  const measuredAheadMs = told + 500 - Date.now();
  if (Math.abs(measuredAheadMs - aheadMs) > TOLERANCE_MS) aheadMs = measuredAheadMs;
}

/**
 * The estimated server time in epoch milliseconds. Use it for anything that ends on the server, because the browser's
 * clock may be wrong.
 */
export function serverNow(): number {
  return Date.now() + aheadMs;
}
