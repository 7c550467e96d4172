import type { Places } from "./places.ts";

/** Who searches, reads, or has pictures drawn. */
export interface Searcher {
  callerId: string;
  /** Whose visitor the caller is. */
  accountId?: string;
  /** All trial accounts share places and turns as one account does: they cost nothing to make. */
  isTrial?: boolean | undefined;
}

const TRIAL = "trial";

/** Whose place a caller takes, for {@link Places.take}. */
export function placeOf({ callerId, accountId = callerId, isTrial }: Searcher): Parameters<Places["take"]> {
  return [callerId, accountId, isTrial ? TRIAL : accountId];
}

/** Whose turns a caller takes: visitors of an account take turns as one, as do trial accounts, each with its visitors. */
export function turnOf({ callerId, accountId = callerId, isTrial }: Searcher): {
  account: string;
  kind: string;
} {
  return isTrial ? { account: accountId, kind: TRIAL } : { account: callerId, kind: accountId };
}
