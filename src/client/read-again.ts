import { ApiError } from "./api.ts";

const PAUSE_MS = 15_000;

/** `refetchInterval` of data that a person should not have to ask for again, or for which a view has no button. */
export function readAgainAfterFailure({ state }: { state: { status: string } }): number | false {
  return state.status === "error" ? PAUSE_MS : false;
}

/** The server was not reached, or is not ready. */
const OUTAGES = [0, 502, 503, 504];

/** As {@link readAgainAfterFailure}, but only after an outage: what is gone, damaged or refused costs much to read and stays so. */
export function readAgainAfterOutage({ state }: { state: { error: Error | null } }): number | false {
  return state.error instanceof ApiError && OUTAGES.includes(state.error.status) ? PAUSE_MS : false;
}
