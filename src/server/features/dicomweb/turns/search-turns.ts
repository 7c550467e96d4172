import type { HeldWhileSent } from "../../../http/stream-of.ts";
import { FairTurns, type TurnLimits } from "../../../runtime/fair-turns.ts";
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

/** Bounds how many searches read the metadata of instances at once, and what they hold: fairly between callers, and in total. */
export interface SearchTurns {
  /**
   * Waits for a turn.
   * @param accountId whose visitor the caller is
   * @throws {AppError} 503 with Retry-After if too many wait
   */
  run<Result>(callerId: string, search: () => Promise<Result>, accountId?: string): Promise<Result>;
  /** The place of a large answer. @throws {AppError} 503 with Retry-After */
  holdLarge(callerId: string, accountId?: string): HeldWhileSent;
}

export function createSearchTurns(limits: SearchLimits = DEFAULT_SEARCH_LIMITS): SearchTurns {
  const searches = new Places(limits.searches);
  const largeAnswers = new Places(limits.largeAnswers);
  const turns = new FairTurns(limits);
  return {
    async run(callerId, search, accountId = callerId) {
      using place = searches.take(callerId, accountId);
      using _ = await place.whileWaiting((signal) => turns.take(callerId, signal, accountId));
      return await search();
    },
    holdLarge: (callerId, accountId) => largeAnswers.take(callerId, accountId),
  };
}
