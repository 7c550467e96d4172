/** Runs a bounded number of tasks at once and lets a bounded number wait. */
export interface DownloadSlots {
  /** Runs `task` when a slot is free. Returns `undefined` at once if too many tasks wait already. */
  run<T>(task: () => Promise<T>): Promise<T> | undefined;
}

export function createDownloadSlots(atOnce: number, maxWaiting: number): DownloadSlots {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function runNow<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next)
        next(); // hands its slot over
      else running--;
    }
  }

  return {
    run(task) {
      if (running < atOnce) {
        running++;
        return runNow(task);
      }
      if (waiting.length >= maxWaiting) return undefined;
      return new Promise<void>((resolve) => waiting.push(resolve)).then(() => runNow(task));
    },
  };
}
