import type { HeldWhileSent } from "../../../http/stream-of.ts";
import type { TurnLimits } from "../../../runtime/fair-turns.ts";
import { BoundedTurns } from "./bounded-turns.ts";
import { type PlaceLimits, Places } from "./places.ts";
import { placeOf, type Searcher } from "./searcher.ts";

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
   * Waits for a turn. A caller who leaves, as `signal` says, gives up their place in the queue.
   * @throws {AppError} 503 with Retry-After if too many wait, or the caller left
   */
  run<Result>(searcher: Searcher, search: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** The place of a large answer. @throws {AppError} 503 with Retry-After */
  holdLarge(searcher: Searcher): HeldWhileSent;
}

export function createSearchTurns(limits: SearchLimits = DEFAULT_SEARCH_LIMITS): SearchTurns {
  const reading = new BoundedTurns({ ...limits, asked: limits.searches });
  const largeAnswers = new Places(limits.largeAnswers);
  return {
    run: (searcher, search, signal) => reading.run(searcher, signal, search),
    holdLarge: (searcher) => largeAnswers.take(...placeOf(searcher)),
  };
}
