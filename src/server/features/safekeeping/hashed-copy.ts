import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sync, writeAll } from "../../storage/disk/durable-file.ts";

/** The content of a written file. */
export interface Written {
  sizeBytes: number;
  /** Hex. */
  sha256: string;
}

/** The suffix of files that are being written. */
export const UNFINISHED = ".unfinished";
/** The size of one read: large enough that the calls cost little, small enough for a small machine. */
const CHUNK_BYTES = 1 << 20;

/** SHA-256 and size of a file, in constant memory. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<Written> {
  return await hashInto(path, async () => {}, signal);
}

/**
 * Copies the file at `source` to a new file at `target` and returns what it wrote. If the file system can share blocks, the copy
 * takes no room, and a later change of one file does not affect the other (unlike with a hard link). Not durable until synced.
 */
export async function copyHashed(source: string, target: string, signal?: AbortSignal): Promise<Written> {
  if (await shareBlocks(source, target)) return await hashFile(target, signal);
  await using to = await open(target, "wx", 0o600);
  return await hashInto(source, (chunk) => writeAll(to, chunk), signal);
}

/** Writes `body` to a new file at `target`. Not durable until synced. */
export async function writeHashed(
  body: AsyncIterable<string | Uint8Array> | Iterable<string>,
  target: string,
  signal?: AbortSignal,
): Promise<Written> {
  const hasher = new Bun.CryptoHasher("sha256");
  let sizeBytes = 0;
  await using to = await open(target, "wx", 0o600);
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    signal?.throwIfAborted();
    const bytes = Buffer.concat(waiting, waitingBytes);
    waiting = [];
    waitingBytes = 0;
    hasher.update(bytes);
    sizeBytes += bytes.length;
    await writeAll(to, bytes);
  };
  for await (const part of body) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waitingBytes >= CHUNK_BYTES) await flush();
  }
  await flush();
  return { sizeBytes, sha256: hasher.digest("hex") };
}

/** Where to put a written file, and the result to return. */
interface Placed<Result> {
  /** `undefined`: there is nothing to keep. */
  target: string | undefined;
  result: Result;
}

/** Lets `fill` write a file in `folder` and moves it, complete and durable, to the target that `fill` returns. */
export async function placeFile<Result>(
  folder: string,
  fill: (path: string) => Promise<Placed<Result>>,
): Promise<Result> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomUUID()}${UNFINISHED}`);
  try {
    const { target, result } = await fill(path);
    if (target === undefined) return result;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await sync(path);
    await rename(path, target);
    await sync(dirname(target));
    return result;
  } finally {
    await rm(path, { force: true });
  }
}

async function shareBlocks(source: string, target: string): Promise<boolean> {
  try {
    await copyFile(source, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    return true;
  } catch {
    // Any error of the source is thrown by the copy below.
    await rm(target, { force: true });
    return false;
  }
}

async function hashInto(
  source: string,
  take: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<Written> {
  const hasher = new Bun.CryptoHasher("sha256");
  let sizeBytes = 0;
  await using from = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW);
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await from.read(chunk, 0, chunk.length);
    if (bytesRead === 0) return { sizeBytes, sha256: hasher.digest("hex") };
    const part = chunk.subarray(0, bytesRead);
    hasher.update(part);
    sizeBytes += bytesRead;
    await take(part);
  }
}
