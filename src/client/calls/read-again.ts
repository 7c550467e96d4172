import { ApiError, isOutage } from "./api.ts";

const PAUSE_MS = 15_000;

interface FailedRead {
  state: { status: string; error: Error | null };
}

/** `refetchInterval` of data that a person should not have to ask for again, or for which a view has no button. */
export function readAgainAfterFailure({ state: { status, error } }: FailedRead): number | false {
  return status === "error" ? pauseAfter(error) : false;
}

/**
 * As {@link readAgainAfterFailure}, but only after an outage: what is gone, damaged or refused costs much to read and stays so. A query
 * with a `refetchInterval` of its own recovers by that, or names this too.
 */
export function readAgainAfterOutage({ state: { error } }: FailedRead): number | false {
  return isOutage(error) ? pauseAfter(error) : false;
}

function pauseAfter(error: Error | null): number {
  return Math.max(PAUSE_MS, (error instanceof ApiError && error.retryAfterMs) || 0);
}
