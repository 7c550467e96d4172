import { createReadStream } from "node:fs";
import { type Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";
import { METHOD_STORED } from "../../../../shared/zip/zip-format.ts";
import { isSameContent } from "../../../archive/content-hash.ts";
import { isInflateFailure } from "../../../archive/inflate-failure.ts";
import { CheckedLength } from "./read-entry.ts";
import type { KeptEntry, LostEntry, SalvagedEntry } from "./sort-instances.ts";
import type { PlannedStudy, SalvagedVolume } from "./worker-messages.ts";

const CHUNK_BYTES = 1024 * 1024;

/**
 * Has the new volume take over what a damaged one holds beside the instances that the upload brings, if all of it is still right:
 * the damaged volume is then named no more. If anything of it is not, the rest stays where it is, so that nothing is kept twice.
 */
export async function salvageEntries(
  { salvage = [] }: PlannedStudy,
  lost: readonly LostEntry[],
): Promise<void> {
  for (const damaged of salvage) {
    const left = lost.filter(({ kept }) => kept.volumeId === damaged.volumeId);
    if (!(await areAllRight(damaged, left))) continue;
    for (const { series, kept } of left) series.healed.set(kept, salvagedFrom(damaged, kept));
  }
}

async function areAllRight(damaged: SalvagedVolume, left: readonly LostEntry[]): Promise<boolean> {
  for (const { kept } of left) if (!(await isRight(damaged, kept))) return false;
  return true;
}

/** Whether an entry has the bytes that were stored. */
async function isRight({ path, sizeBytes }: SalvagedVolume, kept: KeptEntry): Promise<boolean> {
  const { dataOffset, storedBytes } = kept;
  const end = dataOffset + storedBytes;
  if (end > sizeBytes) return false;
  return await isAsStored(
    createReadStream(path, { start: dataOffset, end: end - 1, highWaterMark: CHUNK_BYTES }),
    kept,
  );
}

/** Whether these are the bytes of an entry, as its volume holds them. */
export async function isAsStored(stored: Readable, kept: KeptEntry): Promise<boolean> {
  const { method } = kept;
  const check = new CheckedLength(kept.sizeBytes);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    if (method === METHOD_STORED) await pipeline(stored, check, nowhere);
    else await pipeline(stored, createInflateRaw({ chunkSize: CHUNK_BYTES }), check, nowhere);
  } catch (error) {
    if (isInflateFailure(error)) return false;
    throw error;
  }
  const found = { sizeBytes: check.lengthBytes, crc32: check.checksum, contentHash: check.hash.digest() };
  return isSameContent(kept, found);
}

function salvagedFrom({ path }: SalvagedVolume, kept: KeptEntry): SalvagedEntry {
  const { dataOffset: offset, storedBytes, method, sizeBytes, crc32, contentHash = "" } = kept;
  const source = { inflatedPath: path };
  const bytes = { source, offset, storedBytes, method, sizeBytes, crc32, contentHash };
  return { salvaged: kept, bytes: { ...bytes, inflateBeforeWriting: false } };
}
