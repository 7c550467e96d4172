import { createHash, randomUUID } from "node:crypto";
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { openFile, statFile, sync, writeAll } from "../disk/durable-file.ts";
import { sha256OfFile } from "../disk/sha256-of-file.ts";
import { StoreUnavailable } from "../object-store.ts";

/** A cached copy: its file is named after its key, its size and the hash of its bytes. */
export interface CachedFile {
  keyHash: string;
  path: string;
  sizeBytes: number;
  sha256: string;
}

const NAME = /^([\da-f]{64})-(\d{1,15})-([\da-f]{64})$/;
const PARTIAL = /^partial-/;

export function hashOfKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/**
 * Lists the copies that an earlier process left in `dir`, least recently used first. Removes half-written ones and those
 * whose size differs from their name. Only {@link isIntact} checks their bytes.
 */
export async function readCacheFolder(dir: string): Promise<{ file: CachedFile; usedAt: Date }[]> {
  const found: { file: CachedFile; usedAt: Date }[] = [];
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const [, keyHash, size, sha256] = NAME.exec(name) ?? [];
    if (keyHash && size && sha256) {
      const stats = await statFile(path);
      const sizeBytes = Number(size);
      if (stats?.size === sizeBytes) {
        found.push({ file: { keyHash, path, sizeBytes, sha256 }, usedAt: stats.mtime });
        continue;
      }
    } else if (!PARTIAL.test(name)) continue; // not a file of the cache
    await rm(path, { force: true });
  }
  return found.sort((a, b) => a.usedAt.getTime() - b.usedAt.getTime());
}

/** Writes the body to a new file in `dir`. The file is whole and durable, or it is not there. */
export async function writeCacheFile(
  dir: string,
  keyHash: string,
  openBody: () => Promise<AsyncIterable<Uint8Array>>,
  { sizeBytes, signal }: { sizeBytes: number; signal: AbortSignal },
): Promise<CachedFile> {
  const partial = join(dir, `partial-${randomUUID()}`);
  try {
    const sha256 = await writeHashed(partial, openBody, sizeBytes, signal);
    const path = join(dir, `${keyHash}-${sizeBytes}-${sha256}`);
    await sync(partial);
    signal.throwIfAborted();
    await rename(partial, path);
    return { keyHash, path, sizeBytes, sha256 };
  } finally {
    await rm(partial, { force: true });
  }
}

async function writeHashed(
  path: string,
  openBody: () => Promise<AsyncIterable<Uint8Array>>,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<string> {
  await using handle = await open(path, "wx", 0o600);
  const hash = new Bun.CryptoHasher("sha256");
  let written = 0;
  for await (const piece of await openBody()) {
    signal.throwIfAborted();
    written += piece.length;
    if (written > sizeBytes) break;
    hash.update(piece);
    await writeAll(handle, piece);
  }
  if (written !== sizeBytes) throw new StoreUnavailable("object is not as long as the store said");
  return hash.digest("hex");
}

/** Whether the file still has the bytes it was written with. Reads all of it, in constant memory. */
export async function isIntact({ path, sizeBytes, sha256 }: CachedFile): Promise<boolean> {
  await using handle = await openFile(path);
  if (!handle || (await handle.stat()).size !== sizeBytes) return false;
  return (await sha256OfFile(handle, 0, sizeBytes)) === sha256;
}

/** Whether the file is there with its size. Records the use on the disk, because {@link readCacheFolder} orders by it. */
export async function markUsed({ path, sizeBytes }: CachedFile, at: Date): Promise<boolean> {
  await using handle = await openFile(path);
  if (!handle || (await handle.stat()).size !== sizeBytes) return false;
  await handle.utimes(at, at);
  return true;
}
