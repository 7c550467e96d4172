const LEAST_PATIENCE_MS = 4_000;
/** How many times the longest pause so far is waited for: a slow line sends its bytes in few large portions. */
const PAUSES = 3;

/** Tells from the times of an upload's progress whether it stands still. */
export class StallWatch {
  #lastAtMs: number;
  #longestPauseMs = 0;

  /** @param startedAtMs time of a monotonic clock */
  constructor(startedAtMs: number) {
    this.#lastAtMs = startedAtMs;
  }

  /** Bytes were sent. */
  progressed(atMs: number): void {
    this.#longestPauseMs = Math.max(this.#longestPauseMs, atMs - this.#lastAtMs);
    this.#lastAtMs = atMs;
  }

  isStalled(atMs: number): boolean {
    return atMs - this.#lastAtMs > Math.max(LEAST_PATIENCE_MS, PAUSES * this.#longestPauseMs);
  }
}
