const DELAYS_MS = [1_000, 2_000, 4_000, 8_000];
const LONGEST_MS = 15_000;

/** How long to wait before the attempt after `failures` failures in a row. */
export function backOffMs(failures: number): number {
  return DELAYS_MS[failures - 1] ?? LONGEST_MS;
}

/** Waits so long, or until the browser is connected again. @throws the signal's reason when aborted */
export async function waitOrOnline(delayMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, delayMs);
  const goOn = () => resolve();
  const abort = () => reject(signal.reason);
  window.addEventListener("online", goOn);
  signal.addEventListener("abort", abort);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    window.removeEventListener("online", goOn);
    signal.removeEventListener("abort", abort);
  }
}
