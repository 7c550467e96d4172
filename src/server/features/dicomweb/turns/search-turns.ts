import { AppError } from "../../../http/app-error.ts";
import type { HeldWhileSent } from "../../../http/stream-of.ts";
import { FairTurns, type TurnLimits } from "../../../runtime/fair-turns.ts";
import { tooManyReads } from "../dicomweb.errors.ts";
import { type PlaceLimits, Places } from "./places.ts";

export interface SearchLimits extends TurnLimits {
  /** Searches that read or wait for their turn. */
  searches: PlaceLimits;
  /** Answers that take megabytes while the client reads them, however slowly. */
  largeAnswers: PlaceLimits;
}

export const DEFAULT_SEARCH_LIMITS: SearchLimits = {
  turns: 3,
  turnsPerAccount: 2,
  searches: { all: 64, own: 16 },
  largeAnswers: { all: 4, own: 2 },
};

/** Who searches, reads, or has pictures drawn. */
export interface Searcher {
  callerId: string;
  /** Whose visitor the caller is. */
  accountId?: string;
  /** All trial accounts share places and turns as one account does: they cost nothing to make. */
  isTrial?: boolean | undefined;
}

/** Bounds how many searches read the metadata of instances at once, and what they hold: fairly between callers, and in total. */
export interface SearchTurns {
  /**
   * Waits for a turn. A caller who leaves, as `signal` says, gives up their place in the queue.
   * @throws {AppError} 503 with Retry-After if too many wait, or the caller left
   */
  run<Result>(searcher: Searcher, search: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** The place of a large answer. @throws {AppError} 503 with Retry-After */
  holdLarge(searcher: Searcher): HeldWhileSent;
}

export function createSearchTurns(limits: SearchLimits = DEFAULT_SEARCH_LIMITS): SearchTurns {
  const searches = new Places(limits.searches);
  const largeAnswers = new Places(limits.largeAnswers);
  const turns = new FairTurns(limits);
  return {
    async run(searcher, search, signal) {
      using place = searches.take(...placeOf(searcher));
      const { account, kind } = turnOf(searcher);
      using _ = await place.whileWaiting((given) => {
        const limit = signal ? AbortSignal.any([given, signal]) : given;
        return turns.take(account, limit, kind).catch((error) => {
          throw signal?.aborted ? new AppError(tooManyReads, { retryAfterSeconds: 2 }) : error;
        });
      });
      return await search();
    },
    holdLarge: (searcher) => largeAnswers.take(...placeOf(searcher)),
  };
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
