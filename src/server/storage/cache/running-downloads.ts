import type { DownloadSlots } from "./download-slots.ts";

/** Downloads that run or wait for a slot, at most one for each key. */
export interface RunningDownloads {
  /** Resolves as the download for the key does; undefined if there is none. */
  find(keyHash: string): Promise<boolean> | undefined;
  /** Begins a download for a key that has none. Resolves to `false` if too many wait already. */
  start(keyHash: string, download: (signal: AbortSignal) => Promise<boolean>): Promise<boolean>;
  /** Aborts the download for the key and waits until nothing of it writes any more. */
  stop(keyHash: string): Promise<void>;
}

interface Running {
  done: Promise<boolean>;
  stop: AbortController;
  /** Runs once the download has its slot, for which it may have waited long. */
  isRunning: boolean;
}

export function createRunningDownloads(slots: DownloadSlots): RunningDownloads {
  const downloads = new Map<string, Running>();

  return {
    find: (keyHash) => downloads.get(keyHash)?.done,

    start(keyHash, download) {
      const stop = new AbortController();
      const entry: Running = { stop, isRunning: false, done: Promise.resolve(false) };
      const task = slots.run(async () => {
        entry.isRunning = true;
        return download(stop.signal);
      });
      if (!task) return entry.done;
      downloads.set(keyHash, entry);
      entry.done = task.finally(() => {
        if (downloads.get(keyHash) === entry) downloads.delete(keyHash);
      });
      return entry.done;
    },

    async stop(keyHash) {
      const running = downloads.get(keyHash);
      downloads.delete(keyHash);
      running?.stop.abort();
      if (running?.isRunning) await Promise.allSettled([running.done]);
    },
  };
}
