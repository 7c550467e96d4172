import { AppError } from "./app-error.ts";
import { tooManySenders } from "./http.errors.ts";

/** The slot of one incoming body. */
export interface SenderSlot extends Disposable {
  /** Aborts with the error to answer when the slot goes to another sender. */
  readonly signal: AbortSignal;
  /** Records that bytes arrived. */
  came(bytes: number): void;
  /** Records that all of the body arrived, so the slot is safe from now on. */
  received(): void;
}

/** Bounds the bodies that one process receives at once. A sender that holds a slot without sending keeps nobody out. */
export interface SenderSlots {
  /**
   * Waits a moment if active senders hold every slot.
   * @throws {AppError} 429 with Retry-After if none becomes free
   */
  take(sender: string): Promise<SenderSlot>;
}

export interface SenderSlotLimits {
  /** Slots for one account or network. */
  perSender: number;
  perProcess: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
  wait?: (milliseconds: number) => Promise<void>;
}

/** A slot goes to another sender if nothing arrived for this long … */
const IDLE_MS = 250;
/** … or, over a longer time, less than a line of 32 kbit/s brings. */
const MEASURED_MS = 3_000;
const SLOW_BYTES_PER_SECOND = 2_048;
const WAIT_MS = 100;
const MAX_WAITS = 30;
/** A waiting body costs the bytes that the socket has already received. */
const MAX_WAITING = 4;

export function createSenderSlots(limits: SenderSlotLimits): SenderSlots {
  const { perSender, perProcess, now = () => performance.now(), wait = Bun.sleep } = limits;
  const slots = new Set<Slot>();
  let waiting = 0;

  /** Returns whether there is a slot for `sender`. May free one by ending the body that has been idle for longest. */
  function hasRoom(sender: string): boolean {
    const own = [...slots].filter((slot) => slot.sender === sender);
    const crowd = own.length >= perSender ? own : slots.size >= perProcess ? [...slots] : undefined;
    if (!crowd) return true;
    const idle = crowd.filter((slot) => slot.isIdle(now())).sort((a, b) => a.cameAt - b.cameAt);
    idle[0]?.evict();
    return idle.length > 0;
  }

  async function waitForRoom(sender: string): Promise<void> {
    if (waiting >= MAX_WAITING) throw busy();
    waiting++;
    try {
      for (let waits = 0; waits < MAX_WAITS; waits++) {
        await wait(WAIT_MS);
        if (hasRoom(sender)) return;
      }
    } finally {
      waiting--;
    }
    throw busy();
  }

  return {
    async take(sender) {
      if (!hasRoom(sender)) await waitForRoom(sender);
      const slot = new Slot(sender, now, (left) => slots.delete(left));
      slots.add(slot);
      return slot;
    },
  };
}

function busy(): AppError {
  return new AppError(tooManySenders, { retryAfterSeconds: 5 });
}

class Slot implements SenderSlot {
  cameAt: number;
  readonly #beganAt: number;
  readonly #aborting = new AbortController();
  #bytes = 0;
  #isReceived = false;

  constructor(
    readonly sender: string,
    private readonly now: () => number,
    private readonly leave: (slot: Slot) => void,
  ) {
    this.#beganAt = this.cameAt = now();
  }

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  came(bytes: number): void {
    this.cameAt = this.now();
    this.#bytes += bytes;
  }

  received(): void {
    this.#isReceived = true;
  }

  isIdle(now: number): boolean {
    if (this.#isReceived) return false;
    const ageMs = now - this.#beganAt;
    const isSlow = ageMs >= MEASURED_MS && (this.#bytes * 1000) / ageMs < SLOW_BYTES_PER_SECOND;
    return isSlow || now - this.cameAt >= IDLE_MS;
  }

  evict(): void {
    this.leave(this);
    this.#aborting.abort(busy());
  }

  [Symbol.dispose](): void {
    this.leave(this);
  }
}
