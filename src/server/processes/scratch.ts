import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Pieces } from "../archive/pieces.ts";
import { writeAll } from "../storage/disk/durable-file.ts";

/** Holds data in files that are too large for memory while another process reads them. */
export interface Scratch {
  /** Writes pieces to a new file, which is deleted when it is disposed. `undefined` if they are more than `maxBytes`. */
  spool(pieces: Pieces, maxBytes: number): Promise<ScratchFile | undefined>;
  /** The place of a new file, for another process to write. What is there is deleted when it is disposed. */
  place(): ScratchPlace;
  /** Deletes what a killed run left, once `now` is so late that nothing can use it. */
  sweep(now: Date): Promise<void>;
}

export interface ScratchPlace extends AsyncDisposable {
  path: string;
}

export interface ScratchFile extends ScratchPlace {
  sizeBytes: number;
}

/** No use of a file takes this long, so an older file is left from a former run. */
const STALE_MS = 60 * 60_000;

/** Opens `folder` for scratch files. */
export async function createScratch(folder: string): Promise<Scratch> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const place = (): ScratchPlace => {
    const path = join(folder, randomUUID());
    return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  };
  return {
    place,
    sweep: (now) => removeStale(folder, now),
    async spool(pieces, maxBytes) {
      const file = { ...place(), sizeBytes: 0 };
      try {
        await using handle = await open(file.path, "wx", 0o600);
        for await (const piece of pieces) {
          file.sizeBytes += piece.length;
          if (file.sizeBytes > maxBytes) break;
          await writeAll(handle, piece);
        }
      } catch (error) {
        await file[Symbol.asyncDispose]();
        throw error;
      }
      if (file.sizeBytes <= maxBytes) return file;
      await file[Symbol.asyncDispose]();
      return undefined;
    },
  };
}

async function removeStale(folder: string, now: Date): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (now.getTime() - mtimeMs > STALE_MS) await rm(path, { force: true });
  }
}
