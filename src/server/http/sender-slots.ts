import { AppError } from "./app-error.ts";
import { tooManySenders } from "./http.errors.ts";

/** The place of one body while it comes in. */
export interface SenderSlot extends Disposable {
  /** Aborts, with the error to answer, when the place is given to somebody else. */
  readonly signal: AbortSignal;
  /** Tells what came. */
  came(bytes: number): void;
  /** All of it came: nobody takes the place away any more. */
  received(): void;
}

/** Bounds the bodies that one process takes in at once, so that who holds a place without sending keeps nobody out. */
export interface SenderSlots {
  /**
   * Waits a moment where every place is taken by somebody who sends.
   * @throws {AppError} 429 with Retry-After where none comes free
   */
  take(sender: string): Promise<SenderSlot>;
}

export interface SenderSlotLimits {
  /** By account or address. */
  perSender: number;
  perProcess: number;
  /** Milliseconds; runs on. */
  now?: () => number;
  wait?: (milliseconds: number) => Promise<void>;
}

/** A place is given away once nothing came for so long … */
const IDLE_MS = 250;
/** … or, measured over a longer time, next to nothing: a line of 32 kbit/s does more. */
const MEASURED_MS = 3_000;
const SLOW_BYTES_PER_SECOND = 2_048;
const WAIT_MS = 100;
const MAX_WAITS = 30;
/** A body that waits costs what the socket has taken of it already. */
const MAX_WAITING = 4;

export function createSenderSlots(limits: SenderSlotLimits): SenderSlots {
  const { perSender, perProcess, now = () => performance.now(), wait = Bun.sleep } = limits;
  const slots = new Set<Slot>();
  let waiting = 0;

  /** Whether there is room for one more of `sender`, made by ending the one that has sent nothing for longest. */
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
