import type { Statement } from "./shared-statement.ts";

/** How long an answer holds, counted from before its statement was sent. */
const LEASE_MS = 10;
/** Longer than a lease, since clocks may differ a little and timers are set in whole milliseconds. */
const LEASES_ENDED_MS = 15;
const MAX_LEASES = 256;

interface Lease<Result> {
  result: Result;
  sinceMs: number;
  sinceWallMs: number;
}

/** Milliseconds. A process's own clock stands still while its machine sleeps, the wall clock may be set: a lease ends by either. */
const clocks = { now: () => performance.now(), wall: () => Date.now() };

/**
 * Lets the answer to the same question hold for 10 ms, if `isHeld` says so. Whoever changes what such an answer says awaits
 * {@link leasesEnded} before they tell anybody: nobody who was told is then answered from before the change, by whichever node.
 * Nobody may change an answer.
 */
export function leased<Client extends object, Values, Result>(
  run: Statement<Client, Values, Result>,
  isHeld: (result: Result) => boolean,
  { now, wall } = clocks,
): Statement<Client, Values, Result> {
  const leasesOf = new WeakMap<Client, Map<string, Lease<Result>>>();

  return async (client, values) => {
    const leases = leasesOf.get(client) ?? new Map<string, Lease<Result>>();
    leasesOf.set(client, leases);
    const key = JSON.stringify(values);
    const sinceMs = now();
    const sinceWallMs = wall();
    const lease = leases.get(key);
    const isInForce =
      lease && sinceMs - lease.sinceMs < LEASE_MS && Math.abs(sinceWallMs - lease.sinceWallMs) <= LEASE_MS;
    if (isInForce) return lease.result;

    const result = await run(client, values);
    leases.delete(key);
    if (isHeld(result)) leases.set(key, { result, sinceMs, sinceWallMs });
    const [oldest] = leases.keys();
    if (leases.size > MAX_LEASES && oldest !== undefined) leases.delete(oldest);
    return result;
  };
}

/** Resolves once no node holds an answer to a statement that was sent before the call. */
export async function leasesEnded(): Promise<void> {
  await Bun.sleep(LEASES_ENDED_MS);
}
