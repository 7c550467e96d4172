/**
 * Milliseconds that pass while this process runs. They stand still with it: under SIGSTOP, in a machine that is paused, or
 * while it computes without a pause. What is told by ticks that should come every `tickMs`.
 */
export class AwakeClock {
  readonly #tickMs: number;
  #asleepMs = 0;
  #tickedAt = performance.now();

  constructor(tickMs: number) {
    this.#tickMs = tickMs;
  }

  now(): number {
    return performance.now() - this.#asleepMs;
  }

  /** Ticks come from now on; while none came, nothing waited. */
  begin(): void {
    this.#tickedAt = performance.now();
  }

  /** A tick that is late by less than another one counts as in time: timers are never exact. */
  tick(): void {
    const now = performance.now();
    const lateMs = now - this.#tickedAt - this.#tickMs;
    if (lateMs > this.#tickMs) this.#asleepMs += lateMs;
    this.#tickedAt = now;
  }
}
