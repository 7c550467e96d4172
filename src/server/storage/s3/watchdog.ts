/** Aborts `signal` when an armed wait lasts too long: a client's own pauses don't count, the store's do. */
export interface Watchdog {
  readonly signal: AbortSignal;
  /** Waits for `work`, at most `timeoutMs`, then aborts and rejects with a TimeoutError. */
  guard<T>(timeoutMs: number, work: Promise<T>): Promise<T>;
  abort(): void;
}

/** @param caller aborts the watchdog's signal too */
export function createWatchdog(caller?: AbortSignal): Watchdog {
  const controller = new AbortController();
  const signal = caller ? AbortSignal.any([caller, controller.signal]) : controller.signal;
  return {
    signal,
    abort: () => controller.abort(),
    async guard(timeoutMs, work) {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        const reason = new DOMException(`no answer in ${timeoutMs} ms`, "TimeoutError");
        controller.abort(reason);
        late.reject(reason);
      }, timeoutMs);
      try {
        return await Promise.race([work, late.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
