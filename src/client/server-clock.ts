/** Differences below this are the header's whole seconds and the way of the answer. */
const TOLERANCE_MS = 2_000;

let aheadMs = 0;

/**
 * Learns from an answer's `Date` header how far the browser's clock is off. What may be kept is not asked: out of
 * the browser's cache it tells an old time.
 */
export function noteServerTime({ headers }: Response): void {
  const told = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(told) || !headers.get("cache-control")?.includes("no-store")) return;
  const toldAheadMs = told + 500 - Date.now();
  if (Math.abs(toldAheadMs - aheadMs) > TOLERANCE_MS) aheadMs = toldAheadMs;
}

/** The server's time as far as it is known, in epoch milliseconds: what ends there must not end by a wrong clock here. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}
