import { randomUUID } from "node:crypto";
import { constants, mkdirSync } from "node:fs";
import { access, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../runtime/clock.ts";
import { sync } from "./durable-file.ts";
import type { FolderTree } from "./folder-tree.ts";

/** No key contains `~`, so an unfinished file can be neither read nor listed, and never blocks an object. */
const FOLDER = "~unfinished";

/** Files that are being written; each gets its place once it is whole and durable. Their names say when they were begun. */
export interface UnfinishedFiles {
  /** Lets `fill` write a new file, makes it durable and renames it to `target`. */
  place(target: string, fill: (path: string) => Promise<void>, signal?: AbortSignal): Promise<void>;
  /** Removes what was begun before `olderThan`, except what this process is writing. Returns how many files that were. */
  sweep(olderThan: Date): Promise<number>;
  /** Throws unless files can be made and read. */
  check(): Promise<void>;
}

export interface UnfinishedFilesOptions {
  folders: FolderTree;
  clock: Clock;
  /** Called when the file at `target` is another one, before its new name is durable. */
  onRenamed(target: string): void;
}

/** @param root the store's folder, as a path without symbolic links */
export function createUnfinishedFiles(root: string, options: UnfinishedFilesOptions): UnfinishedFiles {
  const { folders, clock, onRenamed } = options;
  const unfinished = join(root, FOLDER);
  /** Names of files that are being written. A clock that was set back makes them older than this process. */
  const writing = new Set<string>();
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });

  return {
    async place(target, fill, signal) {
      const folder = dirname(target);
      const name = `${clock.now().getTime()}-${randomUUID()}`;
      const path = join(unfinished, name);
      writing.add(name);
      try {
        await folders.hold(folder, async () => {
          await fill(path);
          await sync(path);
          signal?.throwIfAborted();
          await rename(path, target);
          onRenamed(target);
          await sync(folder);
        });
      } catch (error) {
        await folders.prune(folder);
        throw error;
      } finally {
        // This is needed after success too: rename does nothing if both names link to one file (rename(2)).
        await rm(path, { force: true }).finally(() => writing.delete(name));
      }
    },

    async sweep(olderThan) {
      const stale = (await readdir(unfinished)).filter((name) => {
        const begunMs = Number(/^(\d{1,15})-/.exec(name)?.[1]);
        return begunMs < olderThan.getTime() && !writing.has(name);
      });
      for (const name of stale) await rm(join(unfinished, name), { force: true });
      return stale.length;
    },

    check: () => access(unfinished, constants.R_OK | constants.W_OK | constants.X_OK),
  };
}
