/** How much work an upload is. An upload that turns out to be more work moves to the next lane or is begun again there. */
export type Lane = "small" | "large" | "huge";

/** The owner of some work. Owners of one `kind` share its turns; within a kind, each account has its own turns. */
export interface Worker {
  account: string;
  kind: string;
}

/** A place in which one piece of work runs. */
export interface Place {
  readonly lane: Lane;
  /** Starts the place's time; preparation before this call does not count. */
  begin(): void;
  /** Continues in a heavier lane without waiting for it; another entry may begin in the former lane. */
  moveTo(lane: Lane): void;
  /** Gives the place back; idempotent. */
  leave(): void;
}

export interface Entry extends Worker {
  lane: Lane;
  /** Called when the place was used for the lane's time while others of its lane waited: the work should move or end. */
  onOverdue?: (place: Place) => void;
}

/** How long work keeps its lane while others wait. Huge work has no limit. */
const SLICE_MS: Record<Lane, number> = { small: 400, large: 30_000, huge: Number.POSITIVE_INFINITY };
/** Places beyond `size`, for waiting work while other work has moved to a heavier lane. */
const EXTRA_PLACES = 2;
const WEIGHT: Record<Lane, number> = { small: 0, large: 1, huge: 2 };

interface Held extends Entry {
  since: number;
  isNotified: boolean;
  place: Place;
}

interface Waiting extends Entry {
  start: (place: Place) => void;
}

/**
 * Gives out `size` places. One place is for small work only, and of three or more, one other is not for huge work, so that small
 * uploads never wait for large ones. Kinds take turns, and so do accounts within a kind; the one with the most work running comes
 * last.
 */
export class WorkerQueue {
  #waiting: Waiting[] = [];
  readonly #held = new Set<Held>();
  /** When a kind or an account last began something; kept only while it has work in the queue. */
  readonly #servedAt = new Map<string, number>();
  #served = 0;
  #timer: Timer | undefined;

  /** @param smallAtOnce how many of the places small work takes at most */
  constructor(
    readonly size: number,
    readonly maxWaiting: number,
    readonly smallAtOnce = size,
  ) {
    if (size < 2) throw new RangeError("a large and a small upload need two places");
    if (smallAtOnce < 1) throw new RangeError("small work needs a place");
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.maxWaiting;
  }

  /** Resolves when a place is free; rejects when aborted. */
  async enter(entry: Entry, signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted();
    if (this.#mayBegin(entry.lane)) return this.#begin(entry);
    return await new Promise<Place>((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        ...entry,
        start: (place) => {
          signal.removeEventListener("abort", leave);
          resolve(place);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiting);
      this.#watch();
    });
  }

  #begin(entry: Entry): Place {
    const queue = this;
    const held: Held = {
      ...entry,
      since: performance.now(),
      isNotified: false,
      place: {
        get lane() {
          return held.lane;
        },
        begin() {
          Object.assign(held, { since: performance.now(), isNotified: false });
          queue.#watch();
        },
        moveTo(lane) {
          if (WEIGHT[lane] <= WEIGHT[held.lane]) return;
          Object.assign(held, { lane, since: performance.now(), isNotified: false });
          queue.#startNext();
        },
        leave() {
          if (!queue.#held.delete(held)) return;
          queue.#startNext();
          queue.#forget();
        },
      },
    };
    this.#held.add(held);
    this.#served++;
    this.#servedAt.set(kindKey(entry), this.#served).set(accountKey(entry), this.#served);
    return held.place;
  }

  /**
   * Work of this lane or heavier may use all places (small, up to `smallAtOnce` of them), all but one (large), or all but two of three
   * or more (huge).
   */
  #mayBegin(lane: Lane): boolean {
    const atWork = [...this.#held];
    if (atWork.length >= this.size + EXTRA_PLACES) return false;
    const places = { small: this.size, large: this.size - 1, huge: Math.max(1, this.size - 2) };
    // Work that moved to a heavier lane takes no more from lighter lanes than the heavier lane's own places.
    const counted = (least: Lane, most: number) =>
      Math.min(most, atWork.filter((held) => WEIGHT[held.lane] >= WEIGHT[least]).length);
    const huge = counted("huge", places.huge);
    if (lane === "huge") return atWork.filter((held) => held.lane === "huge").length < places.huge;
    const large = Math.min(places.large, huge + atWork.filter((held) => held.lane === "large").length);
    if (lane === "large") return large < places.large;
    const small = atWork.filter((held) => held.lane === "small").length;
    return small < this.smallAtOnce && large + small < places.small;
  }

  #startNext(): void {
    for (;;) {
      const next = this.#waiting
        .filter(({ lane }) => this.#mayBegin(lane))
        .map((waiting) => ({ waiting, turn: this.#turnOf(waiting) }))
        .reduce<{ waiting: Waiting; turn: number[] } | undefined>(
          (first, other) => (first && !isBefore(other.turn, first.turn) ? first : other),
          undefined,
        );
      if (!next) break;
      this.#waiting = this.#waiting.filter((other) => other !== next.waiting);
      next.waiting.start(this.#begin(next.waiting));
    }
    this.#watch();
  }

  /** Orders by lane (small first), then by kind, then by account: less running work first, then served longer ago. */
  #turnOf(entry: Entry): number[] {
    const held = [...this.#held];
    return [
      WEIGHT[entry.lane],
      held.filter(({ kind }) => kind === entry.kind).length,
      this.#servedAt.get(kindKey(entry)) ?? 0,
      held.filter(({ account }) => account === entry.account).length,
      this.#servedAt.get(accountKey(entry)) ?? 0,
    ];
  }

  /** Notifies overdue places while an entry waits that could begin instead. */
  #watch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = performance.now();
    let nextMs = Number.POSITIVE_INFINITY;
    // One place for each waiting entry is enough; places notified before are about to be free.
    let notified = [...this.#held].filter(({ isNotified }) => isNotified).length;
    for (const held of [...this.#held]) {
      const waiting = this.#waiting.filter(({ lane }) => WEIGHT[lane] <= WEIGHT[held.lane]).length;
      if (held.isNotified || waiting <= notified) continue;
      const leftMs = held.since + SLICE_MS[held.lane] - now;
      if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
      else {
        notified++;
        held.isNotified = true;
        held.onOverdue?.(held.place);
      }
    }
    if (!Number.isFinite(nextMs)) return;
    this.#timer ??= setTimeout(() => this.#watch(), nextMs + 1);
    this.#timer.unref();
  }

  #forget(): void {
    const here = new Set([...this.#held, ...this.#waiting].flatMap((one) => [kindKey(one), accountKey(one)]));
    for (const key of this.#servedAt.keys()) if (!here.has(key)) this.#servedAt.delete(key);
  }
}

const kindKey = ({ kind }: Worker) => `kind ${kind}`;
const accountKey = ({ account }: Worker) => `account ${account}`;

function isBefore(turn: number[], other: number[]): boolean {
  for (const [at, value] of turn.entries()) {
    const against = other[at] ?? 0;
    if (value !== against) return value < against;
  }
  return false;
}
