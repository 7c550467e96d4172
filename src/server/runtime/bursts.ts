/** However many follow each other, nothing behind them waits longer than this for their sake. */
const MAX_WAIT_MS = 5_000;
/** A burst ends when none ran for this long: senders that have an answer send the next, maybe all of them at the same moment. */
const GAP_MS = 50;

/**
 * Counts short work that people wait for, so that work behind it can wait until none is left. Without it, each upload of a burst
 * shares the processors with the transfers of those before it.
 */
export class Bursts {
  #running = 0;
  /** Resolves at the end of the burst, while there is one. */
  #burst: PromiseWithResolvers<void> | undefined;
  #ending: Timer | undefined;

  /** Held while such work runs. */
  enter(): Disposable {
    clearTimeout(this.#ending);
    this.#burst ??= Promise.withResolvers();
    this.#running++;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        if (--this.#running === 0) this.#ending = setTimeout(() => this.#end(), GAP_MS);
      },
    };
  }

  #end(): void {
    this.#burst?.resolve();
    this.#burst = undefined;
  }

  /**
   * Lets a job wait as {@link quiet} does, from the moment on when it was enqueued.
   * @param now by the clock that told `enqueuedAt`
   */
  async letPass({ enqueuedAt, signal }: { enqueuedAt: Date; signal: AbortSignal }, now: Date): Promise<void> {
    const waitedMs = Math.max(0, now.getTime() - enqueuedAt.getTime());
    await this.quiet(MAX_WAIT_MS - waitedMs, signal);
  }

  /** Resolves when the burst is over, at the latest after `mostMs` or when `signal` aborts. */
  async quiet(mostMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#burst || mostMs <= 0 || signal.aborted) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, mostMs);
    const stop = () => late.resolve();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([this.#burst.promise, late.promise]);
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
