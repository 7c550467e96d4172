import { mkdirSync, realpathSync, type Stats } from "node:fs";
import { lstat, open, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { newBuffer } from "../../runtime/new-buffer.ts";
import {
  assertObjectKey,
  type ByteRange,
  ObjectNotFound,
  type ObjectStore,
  StoreUnavailable,
} from "../object-store.ts";
import { assertByteRange, folderOfPrefix } from "../preconditions.ts";
import { linkOrCopy, openFileSync, readAt, statFile, sync, writeAll } from "./durable-file.ts";
import { createFolderTree } from "./folder-tree.ts";
import { isAbsent, onDisk } from "./fs-failure.ts";
import { listFiles } from "./list-files.ts";
import { OpenFiles } from "./open-files.ts";
import { scanFile } from "./scan-file.ts";
import { createUnfinishedFiles } from "./unfinished-files.ts";

/** After this time the clock of a file system has ticked; one that keeps whole seconds may tick every second one. */
const SETTLED_MS = { fine: 100, coarse: 2_000 } as const;

export interface DiskStoreOptions {
  /** The folder that holds the objects. It is made if it is missing. */
  root: string;
  clock?: Clock;
}

/**
 * Keeps objects as files below `root`, with their keys as paths. A put renames the new file into place and syncs file and
 * folder before it resolves. A key can't be both an object and the folder of another object.
 */
export function createDiskStore({ root: rootPath, clock = systemClock }: DiskStoreOptions): ObjectStore {
  mkdirSync(rootPath, { recursive: true, mode: 0o700 });
  const root = realpathSync(rootPath);
  const folders = createFolderTree(root);

  function pathOf(key: string): string {
    assertObjectKey(key);
    return join(root, key);
  }

  /** Whether the path of `folder` contains no symbolic link. */
  function isInside(folder: string): boolean {
    try {
      return realpathSync(folder) === folder;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  const openFiles = new OpenFiles((path) => isInside(dirname(path)));
  const unfinished = createUnfinishedFiles(root, {
    folders,
    clock,
    onRenamed: (path) => openFiles.forget(path),
  });

  async function sizeOf(path: string): Promise<number | undefined> {
    return isInside(dirname(path)) ? (await statFile(path))?.size : undefined;
  }

  /** @throws {ObjectNotFound} {StoreUnavailable} if the range is not within it */
  function openWithin(key: string, range: ByteRange) {
    const path = pathOf(key);
    assertByteRange(range);
    const file = isInside(dirname(path)) ? openFileSync(path) : undefined;
    if (!file) throw new ObjectNotFound(key);
    if (range.offset + range.length <= file.sizeBytes) return file;
    file[Symbol.dispose]();
    throw pastTheEnd();
  }

  return {
    kind: "disk",

    async putFile(key, path, { signal } = {}) {
      const target = pathOf(key);
      signal?.throwIfAborted();
      await lstat(path); // without a source it is the caller's error, not the store's
      await onDisk(() =>
        unfinished.place(target, (unfinishedPath) => linkOrCopy(path, unfinishedPath, signal), signal),
      );
    },

    async putBytes(key, bytes) {
      const target = pathOf(key);
      await onDisk(() =>
        unfinished.place(target, async (path) => {
          await using handle = await open(path, "wx", 0o600);
          await writeAll(handle, bytes);
        }),
      );
    },

    async stat(key) {
      const path = pathOf(key);
      const sizeBytes = await onDisk(() => sizeOf(path));
      return sizeBytes === undefined ? undefined : { sizeBytes };
    },

    async revision(key) {
      const path = pathOf(key);
      const stats = await onDisk(async () => (isInside(dirname(path)) ? await statFile(path) : undefined));
      // Two writes within one tick of the file system's clock leave the same time.
      if (!stats || clock.now().getTime() - stats.ctimeMs < settledMs(stats)) return undefined;
      return [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join();
    },

    async read(key, range) {
      return onDisk(async () => {
        using file = openWithin(key, range);
        const bytes = newBuffer(range.length);
        const readBytes = await readAt(file, range.offset, bytes);
        if (readBytes < range.length) throw endsEarly();
        return bytes;
      });
    },

    async readInto(key, offset, bytes) {
      await onDisk(async () => {
        assertByteRange({ offset, length: bytes.length });
        using lent = openFiles.lend(pathOf(key));
        if (!lent) throw new ObjectNotFound(key);
        const { file } = lent;
        if (offset + bytes.length > file.sizeBytes) throw pastTheEnd();
        if (file.readCached(bytes, offset)) return;
        if ((await readAt(file, offset, bytes)) < bytes.length) throw endsEarly();
      });
    },

    async *scan(key, range, bufferBytes) {
      using file = await onDisk(async () => openWithin(key, range));
      const buffers = scanFile(file, range, bufferBytes);
      try {
        for (;;) {
          const { value, done } = await onDisk(() => buffers.next());
          if (done) return;
          yield value;
        }
      } finally {
        await buffers.return(undefined);
      }
    },

    async open(key, range) {
      const path = pathOf(key);
      if (range) assertByteRange(range);
      const sizeBytes = await onDisk(() => sizeOf(path));
      if (sizeBytes === undefined) throw new ObjectNotFound(key);
      const file = Bun.file(path, { type: "application/octet-stream" });
      if (!range) return file;
      if (range.offset + range.length > sizeBytes) throw pastTheEnd();
      return file.slice(range.offset, range.offset + range.length);
    },

    async delete(key) {
      const path = pathOf(key);
      const folder = dirname(path);
      await onDisk(async () => {
        if (!isInside(folder)) return;
        try {
          await unlink(path);
          openFiles.forget(path);
          await sync(folder);
        } catch (error) {
          // It was gone, or another process has removed the folder with its last file.
          if (isAbsent(error)) return;
          throw error;
        }
        await folders.prune(folder);
      });
    },

    async *list(prefix) {
      const folder = folderOfPrefix(prefix);
      if (!(await onDisk(async () => isInside(resolve(root, folder))))) return;
      for await (const { name, sizeBytes } of listFiles(resolve(root, folder), prefix.slice(folder.length))) {
        yield { key: folder + name, sizeBytes };
      }
    },

    sweepUnfinished: (olderThan) => onDisk(() => unfinished.sweep(olderThan)),

    /** Ends nothing: an unfinished file has no key yet, and only this process writes here. */
    async endUnfinished() {
      return 0;
    },

    check: () => onDisk(() => unfinished.check()),
  };
}

/** How long ago a file must have been written so that another write has another time. */
function settledMs({ ctimeMs, mtimeMs }: Stats): number {
  const isCoarse = ctimeMs % 1000 === 0 || mtimeMs % 1000 === 0;
  return isCoarse ? SETTLED_MS.coarse : SETTLED_MS.fine;
}

function endsEarly(): StoreUnavailable {
  return new StoreUnavailable("disk: object ends early");
}

function pastTheEnd(): StoreUnavailable {
  return new StoreUnavailable("disk: range past the end of the object");
}
