import { closeSync, constants, fstatSync, openSync, read, type Stats } from "node:fs";
import { type FileHandle, link, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errnoOf, isAbsent } from "./fs-failure.ts";
import { readCached } from "./read-cached.ts";

const readFrom = promisify(read);

const COPY_CHUNK_BYTES = 1 << 20;

/** The errors of a file system that has no hard links, or allows none for this file. */
const NO_LINK = new Set(["EXDEV", "EPERM", "EACCES", "EMLINK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** Forces a file's bytes, or a folder's entries, onto the medium. */
export async function sync(path: string): Promise<void> {
  await using handle = await open(path, constants.O_RDONLY);
  await handle.sync();
}

/** Writes a small file durably, mode 0600. Whatever fails, the file at `path` is whole: as it was before, or as it is now. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeBeside(path, text, (temporary) => rename(temporary, path));
}

/** Writes a small file durably beside `path`, mode 0600, which `place` brings there; it is removed if it was not. */
export async function writeBeside<Result>(
  path: string,
  text: string,
  place: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const temporary = `${path}.${Bun.randomUUIDv7()}.tmp`;
  try {
    {
      await using file = await open(temporary, "wx", 0o600);
      await file.writeFile(text);
      await file.sync();
    }
    const result = await place(temporary);
    await sync(dirname(path));
    return result;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Writes all of `bytes` at the handle's position, because one write call may write less than it was given. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}

/**
 * Makes `target` a hard link to the file `source`, or a copy if the file system has no hard links.
 * Not durable until {@link sync}.
 */
export async function linkOrCopy(source: string, target: string, signal?: AbortSignal): Promise<void> {
  // A hard link to a symbolic link would be a symbolic link, which is not an object.
  if ((await lstat(source)).isSymbolicLink()) return copy(source, target, signal);
  try {
    await link(source, target);
  } catch (error) {
    if (!NO_LINK.has(errnoOf(error) ?? "")) throw error;
    await copy(source, target, signal);
  }
}

/** Copies in constant memory. `target` must not exist. */
export async function copy(source: string, target: string, signal?: AbortSignal): Promise<void> {
  await using from = await open(source, constants.O_RDONLY);
  await using to = await open(target, "wx", 0o600);
  const chunk = new Uint8Array(COPY_CHUNK_BYTES);
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await from.read(chunk, 0, chunk.length);
    if (bytesRead === 0) return;
    await writeAll(to, chunk.subarray(0, bytesRead));
  }
}

/** The regular file at `path`, or `undefined`. Symbolic links are not followed. */
export async function statFile(path: string): Promise<Stats | undefined> {
  try {
    const stats = await lstat(path);
    return stats.isFile() ? stats : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Opens the regular file at `path` for reading, as {@link statFile} sees it. */
export async function openFile(path: string): Promise<FileHandle | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  return undefined;
}

/** A file that {@link readAt} reads from. */
export interface Readable {
  read(into: Uint8Array, at: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

export interface OpenFile extends Readable, Disposable {
  fd: number;
  sizeBytes: number;
  /** Does the same as {@link readCached}, on this file. */
  readCached(into: Uint8Array, position: number): boolean;
}

/**
 * As {@link openFile}, but synchronous: opening a file takes less time than handing that to the thread pool.
 */
export function openFileSync(path: string): OpenFile | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  const stats = fstatSync(fd);
  if (!stats.isFile()) {
    closeSync(fd);
    return undefined;
  }
  return {
    fd,
    sizeBytes: stats.size,
    read: (into, at, length, position) => readFrom(fd, into, at, length, position),
    readCached: (into, position) => readCached(fd, into, position),
    [Symbol.dispose]: () => closeSync(fd),
  };
}

/** Fills `bytes` from `offset` of the file on. Returns how many were read, fewer only at the end of the file. */
export async function readAt(handle: Readable, offset: number, bytes: Uint8Array): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
