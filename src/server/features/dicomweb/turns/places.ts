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

/**
 * Bounds what is held for callers at once. A client that takes its answer slowly, or never, keeps no other caller out for long. The
 * visitors of an account are callers of their own, by their links, and together hold half of the places at most: links cost nothing.
 */
export class Places {
  readonly #held = new Set<Place>();
  readonly #now: () => number;

  constructor(private readonly limits: PlaceLimits) {
    this.#now = limits.now ?? (() => performance.now());
  }

  /** @throws {AppError} 503 with Retry-After if no place is free for the caller */
  assertFree(callerId: string, accountId = callerId): void {
    const isOut =
      this.#ownCount(callerId) >= this.limits.own || this.#of(accountId).length >= this.#mostOfAccount;
    if (this.#held.size >= this.limits.all || isOut) throw this.#busy();
  }

  /** As {@link take}, which it does not do. @throws {AppError} 503 with Retry-After */
  assertTakeable(callerId: string): void {
    if (!this.#givingWayTo(callerId)) this.assertFree(callerId);
  }

  /**
   * A caller's place, until it is disposed. If all are in use, the slowest answer that was sent for a while breaks off for a caller who
   * has no place; for a visitor, among those of the account's visitors if it has places.
   * @param accountId whose visitor the caller is
   * @throws {AppError} 503 with Retry-After
   */
  take(callerId: string, accountId = callerId): HeldWhileSent {
    this.#givingWayTo(callerId, accountId)?.giveUp?.(this.#busy());
    this.assertFree(callerId, accountId);
    const place = new Place({ callerId, accountId }, this.#now, (left) => this.#held.delete(left));
    this.#held.add(place);
    return place;
  }

  #ownCount(callerId: string): number {
    return [...this.#held].filter(({ whose }) => whose.callerId === callerId).length;
  }

  #of(accountId: string): Place[] {
    return [...this.#held].filter(({ whose }) => whose.accountId === accountId);
  }

  get #mostOfAccount(): number {
    return Math.max(this.limits.own, Math.floor(this.limits.all / 2));
  }

  /** The slowest answer that was sent for a while, if all places are in use and the caller has none. No visitor ends one of their host. */
  #givingWayTo(callerId: string, accountId = callerId): Place | undefined {
    const ofAccount = this.#of(accountId);
    const isFull = this.#held.size >= this.limits.all || ofAccount.length >= this.#mostOfAccount;
    if (!isFull || this.#ownCount(callerId) > 0) return undefined;
    const { safeMs = SAFE_MS } = this.limits;
    const sent = (ofAccount.length > 0 ? ofAccount : [...this.#held]).filter(
      ({ giveUp, ageMs, whose }) =>
        giveUp !== undefined && ageMs >= safeMs && (callerId === accountId || whose.callerId !== accountId),
    );
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
    readonly whose: { callerId: string; accountId: string },
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
