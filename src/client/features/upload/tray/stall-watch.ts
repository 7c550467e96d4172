const LEAST_PATIENCE_MS = 4_000;
/** Where the browser says that it is offline. A server on the same machine or network may take bytes all the same. */
const LEAST_PATIENCE_OFFLINE_MS = 1_000;
/** How many times the longest pause so far is waited for: a slow line sends its bytes in few large portions. */
const PAUSES = 3;

/** Tells from the times of an upload's progress whether it stands still. */
export class StallWatch {
  #lastAtMs: number;
  #longestPauseMs = 0;
  #hasFailed = false;

  /** @param startedAtMs time of a monotonic clock */
  constructor(startedAtMs: number) {
    this.#lastAtMs = startedAtMs;
  }

  /** Bytes were sent. */
  progressed(atMs: number): void {
    if (!this.#hasFailed) this.#longestPauseMs = Math.max(this.#longestPauseMs, atMs - this.#lastAtMs);
    this.#hasFailed = false;
    this.#lastAtMs = atMs;
  }

  /** The connection failed: how long it then takes until bytes are sent says nothing about the line. */
  failed(): void {
    this.#hasFailed = true;
  }

  /** @param isOnline as the browser says */
  isStalled(atMs: number, isOnline = true): boolean {
    const least = isOnline ? LEAST_PATIENCE_MS : LEAST_PATIENCE_OFFLINE_MS;
    return atMs - this.#lastAtMs > Math.max(least, PAUSES * this.#longestPauseMs);
  }
}
