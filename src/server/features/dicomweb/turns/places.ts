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

/** A place that its caller holds. */
export interface HeldPlace extends HeldWhileSent {
  /**
   * Waits for something, such as a turn. Meanwhile a caller of an account with fewer places may take this place. Then the wait ends, and
   * the caller who waited is told to come again.
   */
  whileWaiting<Result>(wait: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

/**
 * Bounds what is held for callers at once. An account that fills the places gives some of those that only wait to one that has fewer, and a
 * client that takes its answer slowly, or never, keeps no other caller out for long. The visitors of an account are callers of their own, by
 * their links, and together hold half of the places at most: links cost nothing. They keep their host out of none. Accounts of one kind,
 * such as those that cost nothing to make, count as one account against the others, and together hold half of the places at most.
 */
export class Places {
  readonly #held = new Set<Place>();
  readonly #now: () => number;

  constructor(private readonly limits: PlaceLimits) {
    this.#now = limits.now ?? (() => performance.now());
  }

  /** As {@link take}, which it does not do. @throws {AppError} 503 with Retry-After */
  assertTakeable(callerId: string, accountId = callerId, kind = accountId): void {
    const whose = { callerId, accountId, kind };
    if (!this.#givingWayTo(whose)) this.#assertFree(whose);
  }

  /**
   * A caller's place, until it is disposed. If all are in use, one that waits breaks off, of an account that has more places; else, for a
   * caller who has none, the slowest answer that was sent for a while; for a visitor, among those of the account's visitors if it has places.
   * @param accountId whose visitor the caller is
   * @throws {AppError} 503 with Retry-After
   */
  take(callerId: string, accountId = callerId, kind = accountId): HeldPlace {
    const whose = { callerId, accountId, kind };
    this.#givingWayTo(whose)?.giveUp?.(this.#busy());
    this.#assertFree(whose);
    const place = new Place(whose, this.#now, (left) => this.#held.delete(left));
    this.#held.add(place);
    return place;
  }

  /** @throws {AppError} 503 with Retry-After if no place is free for the caller */
  #assertFree(whose: Whose): void {
    if (this.#isOut(whose) || this.#ownCount(whose.callerId) >= this.limits.own) throw this.#busy();
  }

  #ownCount(callerId: string): number {
    return [...this.#held].filter(({ whose }) => whose.callerId === callerId).length;
  }

  #of(accountId: string): Place[] {
    return [...this.#held].filter(({ whose }) => whose.accountId === accountId);
  }

  /** Whether no place is left for the caller, whatever they have. */
  #isOut({ callerId, accountId, kind }: Whose): boolean {
    if (this.#held.size >= this.limits.all) return true;
    const half = Math.max(this.limits.own, Math.floor(this.limits.all / 2));
    if (kind !== accountId && [...this.#held].filter(isOfKind(kind)).length >= half) return true;
    return callerId !== accountId && this.#of(accountId).filter(isVisitor).length >= half;
  }

  /** The place that ends for a caller for whom none is left. */
  #givingWayTo(whose: Whose): Place | undefined {
    const ownCount = this.#ownCount(whose.callerId);
    if (!this.#isOut(whose) || ownCount >= this.limits.own) return undefined;
    return this.#waitingOfMost(whose, ownCount) ?? (ownCount === 0 ? this.#slowest(whose) : undefined);
  }

  /**
   * The place that somebody who only waits gives up; `undefined` if nobody has to. It is asked of, in this order:
   * - the kind with the most places, if it has at least two more than the caller's kind: of its account with the most;
   * - an account of the caller's kind that has at least two more than the caller's account;
   * - a visitor of the caller's account: any of them for their host, for another visitor one who has at least two more.
   */
  #waitingOfMost({ callerId, accountId, kind }: Whose, ownCount: number): Place | undefined {
    const all = [...this.#held];
    const own = this.#of(accountId);
    const isFull = all.length >= this.limits.all;
    if (isFull || kind !== accountId) {
      const [ofKind, ofOthers] = [all.filter(isOfKind(kind)), all.filter((place) => !isOfKind(kind)(place))];
      const crowd = isFull ? largestWaiting(ofOthers, "kind", ofKind.length + 1) : [];
      const accounts = ofKind.filter(({ whose }) => whose.accountId !== accountId);
      const most =
        newestWaiting(crowd, "accountId", 0) ?? newestWaiting(accounts, "accountId", own.length + 1);
      if (most) return most;
    }
    return newestWaiting(own.filter(isVisitor), "callerId", callerId === accountId ? 0 : ownCount + 1);
  }

  /** The slowest answer that was sent for a while. No visitor ends one of their host, and no account of a shared kind one of another kind. */
  #slowest({ callerId, accountId, kind }: Whose): Place | undefined {
    const ofAccount = this.#of(accountId);
    const ofOthers = [...this.#held].filter(({ whose }) => kind === accountId || whose.kind === kind);
    const { safeMs = SAFE_MS } = this.limits;
    const sent = (ofAccount.length > 0 ? ofAccount : ofOthers).filter(
      ({ isSent, ageMs, whose }) =>
        isSent && ageMs >= safeMs && (callerId === accountId || whose.callerId !== accountId),
    );
    return sent.sort((a, b) => a.bytesAMs - b.bytesAMs)[0];
  }

  #busy(): AppError {
    return new AppError(tooManyReads, { retryAfterSeconds: this.limits.retryAfterSeconds ?? 2 });
  }
}

/** Who holds a place: a caller, the account that they are or visit, and what that counts as. */
interface Whose {
  callerId: string;
  accountId: string;
  kind: string;
}

const isOfKind =
  (kind: string) =>
  ({ whose }: Place) =>
    whose.kind === kind;
const isVisitor = ({ whose }: Place) => whose.callerId !== whose.accountId;

/** Among {@link largestWaiting}, the newest place that waits: of a visitor, if one of them waits. */
function newestWaiting(places: Place[], by: "accountId" | "callerId", than: number): Place | undefined {
  const waiting = largestWaiting(places, by, than).filter(({ isWaiting }) => isWaiting);
  return waiting.findLast(isVisitor) ?? waiting.at(-1);
}

/**
 * The places of one owner: of those who have more than `than` places, one of which waits, the owner with the most. Empty if there is
 * no such owner.
 */
function largestWaiting(places: Place[], by: keyof Whose, than: number): Place[] {
  const crowds = [...Map.groupBy(places, ({ whose }) => whose[by]).values()]
    .filter((crowd) => crowd.length > than && crowd.some(({ isWaiting }) => isWaiting))
    .sort((a, b) => b.length - a.length);
  return crowds[0] ?? [];
}

class Place implements HeldPlace {
  /** Ends the wait or the answer; undefined while there is neither. */
  giveUp: ((reason: unknown) => void) | undefined;
  isWaiting = false;
  isSent = false;
  #sentSince = 0;
  #bytes = 0;

  constructor(
    readonly whose: Whose,
    private readonly now: () => number,
    private readonly leave: (place: Place) => void,
  ) {}

  get ageMs(): number {
    return this.now() - this.#sentSince;
  }

  get bytesAMs(): number {
    return this.#bytes / this.ageMs;
  }

  async whileWaiting<Result>(wait: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const given = new AbortController();
    this.isWaiting = true;
    this.giveUp = (reason) => {
      this.leave(this);
      given.abort(reason);
    };
    try {
      return await wait(given.signal);
    } finally {
      this.isWaiting = false;
      this.giveUp = undefined;
    }
  }

  beginSending(giveUp: (reason: unknown) => void): void {
    this.isSent = true;
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
