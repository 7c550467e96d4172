/** Which uploads may hold every worker, and which must leave one free. */
export type Lane = "small" | "large";

interface Waiting {
  lane: Lane;
  start: () => void;
}

/**
 * Gives out `size` places. Large uploads hold all but one at most, so a small one never waits for a large one;
 * within a lane whoever came first goes first.
 */
export class WorkerQueue {
  readonly #waiting: Waiting[] = [];
  #held = { small: 0, large: 0 };

  constructor(
    readonly size: number,
    readonly maxWaiting: number,
  ) {
    if (size < 2) throw new RangeError("a large and a small upload need two places");
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.maxWaiting;
  }

  /** Resolves when a place is free, with the function that gives it back (once). Aborted, it rejects. */
  async enter(lane: Lane, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#isFree(lane)) await this.#wait(lane, signal);
    else this.#held[lane]++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held[lane]--;
      this.#startNext();
    };
  }

  #wait(lane: Lane, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        lane,
        start: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #isFree(lane: Lane): boolean {
    const { small, large } = this.#held;
    return small + large < this.size && (lane === "small" || large < this.size - 1);
  }

  #startNext(): void {
    const next = this.#waiting.findIndex(({ lane }) => this.#isFree(lane));
    const [waiting] = next < 0 ? [] : this.#waiting.splice(next, 1);
    if (!waiting) return;
    this.#held[waiting.lane]++;
    waiting.start();
  }
}
