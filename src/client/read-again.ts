const PAUSE_MS = 15_000;

/** `refetchInterval` of data that a person should not have to ask for again, or for which a view has no button. */
export function readAgainAfterFailure({ state }: { state: { status: string } }): number | false {
  return state.status === "error" ? PAUSE_MS : false;
}
