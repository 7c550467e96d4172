import { AppError } from "../../http/app-error.ts";
import { tooManyUploads } from "./ingest.errors.ts";

/** The sender. Trial accounts cost nothing to make, so their uploads are counted together. */
export interface Uploader {
  accountId: string;
  isTrial: boolean;
}

/** The place of one upload, from its first byte to its answer. */
export interface UploadSlot extends Uploader, Disposable {
  /** Uploads of one kind share one turn: those of one account, or those of all trial accounts. */
  readonly kind: string;
  /** Aborts, with the error to answer, when the place is given to somebody else. */
  readonly signal: AbortSignal;
  /** Counts bytes of the body that arrived. */
  readonly countReceived: (bytes: number) => void;
  /** Bytes of the body that arrived so far. */
  readonly receivedBytes: number;
  /** Call it when the whole body arrived. */
  received(): void;
  /** Call it when a worker has the upload: the place can no longer be taken away. */
  started(): void;
}

/** Bounds the uploads that one process takes at once, so that no sender keeps others out. */
export interface UploadSlots {
  /** @throws {AppError} 429 with Retry-After when the account has too many uploads or the process is full */
  take(uploader: Uploader): UploadSlot;
}

/** Arriving bytes are measured over this time. */
const WINDOW_MS = 10_000;
/** A full process drops senders slower than this, the rate of a line of 32 kbit/s. */
const SLOW_BYTES_PER_SECOND = 4_096;
/** An account that uses all its places gets one back from an upload that brought nothing for this long. */
const IDLE_MS = 30_000;

export function createUploadSlots(limits: {
  perAccount: number;
  perProcess: number;
  now?: () => number;
}): UploadSlots {
  const { perAccount, perProcess, now = () => performance.now() } = limits;
  const slots = new Set<Slot>();

  /**
   * The place that a full process takes away for `uploader`. It is one of the account with the most places, in the kind with the
   * most, if that kind has at least two more than the uploader's; otherwise one of a sender who sends almost nothing.
   */
  function victimFor(uploader: Uploader): Slot | undefined {
    const yielding = [...slots].filter(({ stage }) => stage !== "working");
    const byKind = Map.groupBy(yielding, kindOf);
    const most = largest(byKind);
    const own = byKind.get(kindOf(uploader))?.length ?? 0;
    if (most.length > own + 1)
      return slowest(largest(Map.groupBy(most, ({ accountId }) => accountId)), now());
    return slowest(
      yielding.filter((slot) => slot.rate(now()) < SLOW_BYTES_PER_SECOND),
      now(),
    );
  }

  return {
    take(uploader) {
      const own = [...slots].filter(({ accountId }) => accountId === uploader.accountId);
      if (own.length >= perAccount) evict(own.find((slot) => slot.isIdle(now())));
      else if (slots.size >= perProcess) evict(victimFor(uploader));
      const slot = new Slot(uploader, now, () => slots.delete(slot));
      slots.add(slot);
      return slot;
    },
  };
}

function kindOf({ accountId, isTrial }: Uploader): string {
  return isTrial ? "trial" : accountId;
}

/** @throws {AppError} 429 when there is no slot to evict */
function evict(slot: Slot | undefined): void {
  if (!slot) throw busy();
  slot.evict();
}

function busy(): AppError {
  return new AppError(tooManyUploads, { retryAfterSeconds: 5 });
}

function largest(groups: Map<string, Slot[]>): Slot[] {
  let most: Slot[] = [];
  for (const group of groups.values()) if (group.length > most.length) most = group;
  return most;
}

/** The slowest slot; among equally slow ones, the newest. */
function slowest(slots: Slot[], nowMs: number): Slot | undefined {
  let found: Slot | undefined;
  for (const slot of slots) if (!found || slot.rate(nowMs) <= found.rate(nowMs)) found = slot;
  return found;
}

class Slot implements UploadSlot {
  readonly accountId: string;
  readonly isTrial: boolean;
  receivedBytes = 0;
  stage: "receiving" | "waiting" | "working" = "receiving";
  readonly #aborting = new AbortController();
  readonly #now: () => number;
  readonly #leave: () => void;
  #windowStart: number;
  #windowBytes = 0;
  #lastRate = Number.POSITIVE_INFINITY;
  #lastCameAt: number;

  constructor(uploader: Uploader, now: () => number, leave: () => void) {
    this.accountId = uploader.accountId;
    this.isTrial = uploader.isTrial;
    this.#now = now;
    this.#leave = leave;
    this.#windowStart = this.#lastCameAt = now();
  }

  get kind(): string {
    return kindOf(this);
  }

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  readonly countReceived = (bytes: number): void => {
    const now = this.#now();
    this.#lastCameAt = now;
    this.receivedBytes += bytes;
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#lastRate = this.#measured(now);
      this.#windowStart = now;
      this.#windowBytes = 0;
    }
    this.#windowBytes += bytes;
  };

  received(): void {
    this.stage = "waiting";
  }

  started(): void {
    this.stage = "working";
  }

  /** Bytes a second; infinite for an upload that has just begun or is wholly received. */
  rate(now: number): number {
    if (this.stage !== "receiving") return Number.POSITIVE_INFINITY;
    const measured = this.#measured(now);
    return now - this.#windowStart >= WINDOW_MS ? measured : Math.max(this.#lastRate, measured);
  }

  isIdle(now: number): boolean {
    return this.stage === "receiving" && now - this.#lastCameAt > IDLE_MS;
  }

  evict(): void {
    this.#leave();
    this.#aborting.abort(busy());
  }

  [Symbol.dispose](): void {
    this.#leave();
  }

  #measured(now: number): number {
    return (this.#windowBytes * 1000) / Math.max(1, now - this.#windowStart);
  }
}
