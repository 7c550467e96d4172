import { AppError } from "../../../http/app-error.ts";
import { FairTurns, type TurnLimits } from "../../../runtime/fair-turns.ts";
import { tooManyReads } from "../dicomweb.errors.ts";
import { type PlaceLimits, Places } from "./places.ts";
import { placeOf, type Searcher, turnOf } from "./searcher.ts";

export interface BoundedTurnLimits extends TurnLimits {
  /** Pieces of work that have their turn, or wait for it. */
  asked: PlaceLimits;
  /** How long one waits; without it, as long as its caller does. */
  waitMs?: number;
}

/** A turn holds the frame that is drawn, a few megabytes; a browser asks for all the thumbnails of a page at once. */
export const DEFAULT_DRAWING_LIMITS: BoundedTurnLimits = {
  turns: 6,
  turnsPerAccount: 3,
  asked: { all: 96, own: 19 },
  waitMs: 5_000,
};

/** Bounds how much is drawn, decoded or searched at once, and how much waits for that and how long: fairly between callers, and in total. */
export class BoundedTurns {
  readonly #asked: Places;
  readonly #turns: FairTurns;

  constructor(private readonly limits: BoundedTurnLimits = DEFAULT_DRAWING_LIMITS) {
    this.#asked = new Places(limits.asked);
    this.#turns = new FairTurns(limits);
  }

  /**
   * Works once there is a turn, unless `signal` aborts before.
   * @throws {AppError} 503 with Retry-After if too many wait, or this one for too long
   */
  async run<Result>(
    searcher: Searcher,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    using place = this.#asked.take(...placeOf(searcher));
    const { account, kind } = turnOf(searcher);
    const { waitMs } = this.limits;
    const ends = [
      ...(waitMs === undefined ? [] : [AbortSignal.timeout(waitMs)]),
      ...(signal ? [signal] : []),
    ];
    const waiting = place.whileWaiting((given) =>
      this.#turns.take(account, AbortSignal.any([given, ...ends]), kind),
    );
    using _ = await waiting.catch(() => {
      throw new AppError(tooManyReads, { retryAfterSeconds: this.limits.asked.retryAfterSeconds ?? 2 });
    });
    return await work();
  }
}
