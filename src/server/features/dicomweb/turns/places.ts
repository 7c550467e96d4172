import { AppError } from "../../../http/app-error.ts";
import type { HeldWhileSent } from "../../../http/stream-of.ts";
import { tooManyReads } from "../dicomweb.errors.ts";

export interface PlaceLimits {
  /** The most places in use. */
  all: number;
  /** Of these, for one caller. */
  own: number;
  /** What a caller without a place is told (2). */
  retryAfterSeconds?: number;
  /** For how long an answer is sent before its place can go to a caller who has none (10 s). */
  safeMs?: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

const SAFE_MS = 10_000;

/** Bounds what is held for callers at once. A client that takes its answer slowly, or never, keeps no other caller out for long. */
export class Places {
  readonly #held = new Set<Place>();
  readonly #now: () => number;

  constructor(private readonly limits: PlaceLimits) {
    this.#now = limits.now ?? (() => performance.now());
  }

  /** @throws {AppError} 503 with Retry-After if no place is free for the caller */
  assertFree(callerId: string): void {
    if (this.#held.size >= this.limits.all || this.#ownCount(callerId) >= this.limits.own) throw this.#busy();
  }

  /** As {@link take}, which it does not do. @throws {AppError} 503 with Retry-After */
  assertTakeable(callerId: string): void {
    if (!this.#givingWayTo(callerId)) this.assertFree(callerId);
  }

  /**
   * A caller's place, until it is disposed. If all are in use, the slowest answer that was sent for a while breaks off for a caller who
   * has no place.
   * @throws {AppError} 503 with Retry-After
   */
  take(callerId: string): HeldWhileSent {
    this.#givingWayTo(callerId)?.giveUp?.(this.#busy());
    this.assertFree(callerId);
    const place = new Place(callerId, this.#now, (left) => this.#held.delete(left));
    this.#held.add(place);
    return place;
  }

  #ownCount(callerId: string): number {
    return [...this.#held].filter((place) => place.callerId === callerId).length;
  }

  /** The slowest answer that was sent for a while, if all places are in use and the caller has none. */
  #givingWayTo(callerId: string): Place | undefined {
    if (this.#held.size < this.limits.all || this.#ownCount(callerId) > 0) return undefined;
    const { safeMs = SAFE_MS } = this.limits;
    const sent = [...this.#held].filter(({ giveUp, ageMs }) => giveUp !== undefined && ageMs >= safeMs);
    return sent.sort((a, b) => a.bytesAMs - b.bytesAMs)[0];
  }

  #busy(): AppError {
    return new AppError(tooManyReads, { retryAfterSeconds: this.limits.retryAfterSeconds ?? 2 });
  }
}

class Place implements HeldWhileSent {
  /** Ends the answer; undefined while none is sent. */
  giveUp: ((reason: unknown) => void) | undefined;
  #sentSince = 0;
  #bytes = 0;

  constructor(
    readonly callerId: string,
    private readonly now: () => number,
    private readonly leave: (place: Place) => void,
  ) {}

  get ageMs(): number {
    return this.now() - this.#sentSince;
  }

  get bytesAMs(): number {
    return this.#bytes / this.ageMs;
  }

  beginSending(giveUp: (reason: unknown) => void): void {
    this.#sentSince = this.now();
    this.giveUp = giveUp;
  }

  took(bytes: number): void {
    this.#bytes += bytes;
  }

  [Symbol.dispose](): void {
    this.leave(this);
  }
}
