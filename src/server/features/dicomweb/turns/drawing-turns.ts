import { AppError } from "../../../http/app-error.ts";
import { FairTurns, type TurnLimits } from "../../../runtime/fair-turns.ts";
import { tooManyReads } from "../dicomweb.errors.ts";
import { type PlaceLimits, Places } from "./places.ts";
import { placeOf, type Searcher, turnOf } from "./search-turns.ts";

export interface DrawingLimits extends TurnLimits {
  /** Pictures or frames that are drawn or decoded, or wait for their turn. */
  asked: PlaceLimits;
  waitMs: number;
}

/** A turn holds the frame that is drawn, a few megabytes; a browser asks for all the thumbnails of a page at once. */
export const DEFAULT_DRAWING_LIMITS: DrawingLimits = {
  turns: 6,
  turnsPerAccount: 3,
  asked: { all: 96, own: 19 },
  waitMs: 5_000,
};

/**
 * Bounds how many pictures are drawn, or frames decoded, at once, and how many wait for that and how long: fairly between callers, and
 * in total.
 */
export class DrawingTurns {
  readonly #asked: Places;
  readonly #turns: FairTurns;

  constructor(private readonly limits: DrawingLimits = DEFAULT_DRAWING_LIMITS) {
    this.#asked = new Places(limits.asked);
    this.#turns = new FairTurns(limits);
  }

  /**
   * Waits for a turn, unless `signal` aborts.
   * @throws {AppError} 503 with Retry-After if too many wait, or this one for too long
   */
  async run<Result>(searcher: Searcher, signal: AbortSignal, draw: () => Promise<Result>): Promise<Result> {
    using place = this.#asked.take(...placeOf(searcher));
    const { account, kind } = turnOf(searcher);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.limits.waitMs)]);
    const waiting = place.whileWaiting((given) =>
      this.#turns.take(account, AbortSignal.any([limit, given]), kind),
    );
    using _ = await waiting.catch(() => {
      throw new AppError(tooManyReads, { retryAfterSeconds: 2 });
    });
    return await draw();
  }
}
