/** However many follow each other, nothing behind them waits longer than this for their sake. */
const MAX_WAIT_MS = 5_000;

/**
 * Counts short work that people wait for, so that work behind it can wait until none is left. Without it, each upload of a burst
 * shares the processors with the transfers of those before it.
 */
export class Bursts {
  #running = 0;
  #quiet = Promise.withResolvers<void>();

  /** Held while such work runs. */
  enter(): Disposable {
    if (this.#running++ === 0) this.#quiet = Promise.withResolvers();
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        if (--this.#running === 0) this.#quiet.resolve();
      },
    };
  }

  /** Lets a job wait as {@link quiet} does, from the moment on when it was enqueued. */
  async letPass({ enqueuedAt, signal }: { enqueuedAt: Date; signal: AbortSignal }): Promise<void> {
    const waitedMs = Math.max(0, Date.now() - enqueuedAt.getTime());
    await this.quiet(MAX_WAIT_MS - waitedMs, signal);
  }

  /** Resolves when none runs, at the latest after `mostMs` or when `signal` aborts. */
  async quiet(mostMs: number, signal: AbortSignal): Promise<void> {
    if (this.#running === 0 || mostMs <= 0 || signal.aborted) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, mostMs);
    const stop = () => late.resolve();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([this.#quiet.promise, late.promise]);
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
