/** Runs a piece of work once it has its turn. @throws the signal's reason if that is aborted before */
export type InTurns = <Answer>(work: () => Promise<Answer>, signal: AbortSignal) => Promise<Answer>;

/** At most `atOnce` pieces of work run beside each other; the others wait, the first one first. */
export function inTurns(atOnce: number): InTurns {
  const waiting = new Set<() => void>();
  let running = 0;

  async function turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      waiting.delete(resolve);
      reject(signal.reason);
    };
    waiting.add(resolve);
    signal.addEventListener("abort", leave);
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  function pass(): void {
    const [next] = waiting;
    if (!next) {
      running--;
      return;
    }
    waiting.delete(next);
    next();
  }

  return async (work, signal) => {
    signal.throwIfAborted();
    if (running >= atOnce) await turn(signal);
    else running++;
    try {
      return await work();
    } finally {
      pass();
    }
  };
}
