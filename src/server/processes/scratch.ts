import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Pieces } from "../archive/pieces.ts";
import { writeAll } from "../storage/disk/durable-file.ts";

/** Files for what is too large to be held in memory while another process takes it apart. */
export interface Scratch {
  /** Writes pieces into a new file, which goes with its disposal; undefined where there are more than `maxBytes`. */
  spool(pieces: Pieces, maxBytes: number): Promise<ScratchFile | undefined>;
}

export interface ScratchFile extends AsyncDisposable {
  path: string;
  sizeBytes: number;
}

/** Older ones are a former run's: no use of one takes so long. */
const STALE_MS = 60 * 60_000;

/** Scratch files in `folder`, less those that a killed run left there. */
export async function createScratch(folder: string): Promise<Scratch> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await removeStale(folder);
  return {
    async spool(pieces, maxBytes) {
      const path = join(folder, randomUUID());
      const file = { path, sizeBytes: 0, [Symbol.asyncDispose]: () => rm(path, { force: true }) };
      try {
        await using handle = await open(path, "wx", 0o600);
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

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > STALE_MS) await rm(path, { force: true });
  }
}
