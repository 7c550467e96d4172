import { rm } from "node:fs/promises";
import type { Clock } from "../../runtime/clock.ts";
import type { CachedFile } from "./cache-files.ts";

/** Knows which copies are in the folder and how much room is left. */
export interface CacheIndex {
  /** Returns the copy if it may be served, and makes it the most recently used. */
  use(keyHash: string): CachedFile | undefined;
  /** Returns a copy of an earlier process, which must be verified before it is served. */
  unverified(keyHash: string): CachedFile | undefined;
  /** Returns the copy, verified or not, without using it. */
  find(keyHash: string): CachedFile | undefined;
  /** Marks the copy as verified. Returns whether it is still there. */
  verify(keyHash: string): boolean;
  /** Makes room by removing the least recently used copies. `undefined` if even that is not enough. */
  reserve(sizeBytes: number): Promise<Reservation | undefined>;
  /** Removes the copy, verified or not. */
  drop(keyHash: string): Promise<void>;
  /** Removes every copy that was last used before that time. */
  dropUnused(since: Date): Promise<void>;
}

/** Room for a copy that is still being downloaded. Release it unless it was filled. */
export interface Reservation extends Disposable {
  fill(file: CachedFile): void;
}

interface Entry {
  file: CachedFile;
  isVerified: boolean;
  usedAt: Date;
}

/** @param known copies of an earlier process, least recently used first */
export function createCacheIndex(
  known: { file: CachedFile; usedAt: Date }[],
  maxBytes: number,
  clock: Clock,
): CacheIndex {
  /** In the order of use, because a Map keeps the order of insertion. */
  const entries = new Map<string, Entry>();
  let usedBytes = 0;
  let reservedBytes = 0;

  function add(entry: Entry): void {
    take(entry.file.keyHash);
    entries.set(entry.file.keyHash, entry);
    usedBytes += entry.file.sizeBytes;
  }

  function take(keyHash: string): Entry | undefined {
    const entry = entries.get(keyHash);
    if (entry) {
      entries.delete(keyHash);
      usedBytes -= entry.file.sizeBytes;
    }
    return entry;
  }

  /** A reader has the file open and can go on reading. */
  async function drop(keyHash: string): Promise<void> {
    const entry = take(keyHash);
    if (entry) await rm(entry.file.path, { force: true });
  }

  for (const { file, usedAt } of known) add({ file, isVerified: false, usedAt });

  return {
    drop,

    use(keyHash) {
      if (!entries.get(keyHash)?.isVerified) return undefined;
      const entry = take(keyHash);
      if (entry) add({ ...entry, usedAt: clock.now() });
      return entry?.file;
    },

    unverified(keyHash) {
      const entry = entries.get(keyHash);
      return entry && !entry.isVerified ? entry.file : undefined;
    },

    find: (keyHash) => entries.get(keyHash)?.file,

    verify(keyHash) {
      const entry = take(keyHash);
      if (entry) add({ file: entry.file, isVerified: true, usedAt: clock.now() });
      return entry !== undefined;
    },

    async reserve(sizeBytes) {
      if (reservedBytes + sizeBytes > maxBytes) return undefined;
      reservedBytes += sizeBytes;
      let heldBytes = sizeBytes;
      const release = () => {
        reservedBytes -= heldBytes;
        heldBytes = 0;
      };
      try {
        for (const keyHash of entries.keys()) {
          if (usedBytes + reservedBytes <= maxBytes) break;
          await drop(keyHash);
        }
      } catch (error) {
        release();
        throw error;
      }
      return {
        fill(file) {
          release();
          add({ file, isVerified: true, usedAt: clock.now() });
        },
        [Symbol.dispose]: release,
      };
    },

    async dropUnused(since) {
      for (const [keyHash, { usedAt }] of entries) {
        if (usedAt < since) await drop(keyHash);
      }
    },
  };
}
