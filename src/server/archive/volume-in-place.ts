import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, renameSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { EXTRA_HEADER_BYTES, LOCAL_HEADER_BYTES } from "../../shared/zip/zip-format.ts";
import { readFully, writeFully } from "./file-window.ts";
import { PieceSummer } from "./piece-sums.ts";
import { type Region, saveUndo } from "./undo-in-place.ts";
import { entryName, volumeFolder } from "./volume-name.ts";
import type { VolumeEntry, WrittenVolume } from "./volume-writer.ts";
import {
  encodeCentralHeader,
  encodeEndRecords,
  encodeLocalHeader,
  MAX_EXTRA_BYTES,
  type WrittenEntry,
} from "./zip-encode.ts";

/** How much of a volume may be padding in its headers, as a fraction. */
const MAX_PADDING = 0.01;
/** The worker checks after this many headers, and after this many bytes, whether its parent process is still alive. */
const HEADERS_PER_TURN = 256;
const HASHED_BYTES_PER_TURN = 4 * 1024 * 1024;

const flushData = promisify(fdatasync);

/** An entry whose data are already in a file, exactly as a volume holds them. */
export interface EntryInFile extends VolumeEntry {
  dataOffset: number;
}

/** How to turn a file into a volume without moving its entries' data: new headers, in the order of the file. */
export interface InPlacePlan {
  headers: PlacedHeader[];
  /** Where the last entry ends and the directory begins. */
  centralOffset: number;
}

/** The local header of an entry, and how much padding it has. */
export interface PlacedHeader {
  entry: WrittenEntry;
  offset: number;
  paddingBytes: number;
}

/**
 * Plans the volume `volumeId` from a file that holds the data of `entries`, in any order. `undefined` if {@link InPlacePlanner}
 * can't place one of them.
 */
export function planInPlace(volumeId: string, entries: readonly EntryInFile[]): InPlacePlan | undefined {
  const planner = new InPlacePlanner(volumeId);
  for (const entry of entries.toSorted((a, b) => a.dataOffset - b.dataOffset)) {
    if (!planner.add(entry)) return undefined;
  }
  return planner.plan();
}

/**
 * Plans a volume from a file entry by entry, in the order of the file. Each local header fills the gap between the previous
 * entry's data and its own.
 */
export class InPlacePlanner {
  readonly #folder: string;
  readonly #headers: PlacedHeader[] = [];
  #offset = 0;
  #paddingBytes = 0;

  constructor(volumeId: string) {
    this.#folder = volumeFolder(volumeId);
  }

  /** Places the next entry. `undefined` if the gap before it is too small for its header, or too wide. */
  add({ dataOffset, ...entry }: EntryInFile): PlacedHeader | undefined {
    const number = this.#headers.length + 1;
    const gapBytes = dataOffset - this.#offset;
    const shortest = { ...entry, name: entryName(this.#folder, number) };
    const spareBytes = gapBytes - encodeLocalHeader(shortest).length;
    if (spareBytes < 0) return undefined;
    // The gap is too small for an extra field, so the name grows instead.
    const isField = spareBytes >= EXTRA_HEADER_BYTES;
    const named = { ...entry, name: entryName(this.#folder, number, isField ? 0 : spareBytes) };
    if (gapBytes - LOCAL_HEADER_BYTES - named.name.length > MAX_EXTRA_BYTES) return undefined;
    const header = { entry: named, offset: this.#offset, paddingBytes: isField ? spareBytes : 0 };
    this.#headers.push(header);
    this.#paddingBytes += spareBytes;
    this.#offset = dataOffset + entry.storedBytes;
    return header;
  }

  /** The volume of what was added; `undefined` if it would be empty, or hold too much padding. */
  plan(): InPlacePlan | undefined {
    const headers = this.#headers;
    if (headers.length === 0 || this.#paddingBytes > this.#offset * MAX_PADDING) return undefined;
    return { headers, centralOffset: this.#offset };
  }
}

/** The checksums of a planned volume. `directory` is the SHA-256 (hex) of its directory, which identifies the plan. */
export interface VolumeSum extends Pick<WrittenVolume, "sha256" | "crc32s"> {
  directory: string;
}

/**
 * Hashes the volume that the open file will become, while the disk writes what is there already. Nothing uses `fd` after
 * the promise settles. `chunk` is the read buffer.
 */
export async function sumInPlace(plan: InPlacePlan, fd: number, chunk: Uint8Array): Promise<VolumeSum> {
  const [flushed, hashed] = await Promise.allSettled([flushData(fd), hashPlanned(plan, fd, chunk)]);
  // The disk reports a failure only once; the next sync succeeds.
  if (flushed.status === "rejected") throw flushed.reason;
  if (hashed.status === "rejected") throw hashed.reason;
  return hashed.value;
}

/** Computes the checksums of a volume that is given to it from front to back. */
export class VolumeSummer {
  readonly #sha256 = new Bun.CryptoHasher("sha256");
  readonly #pieces = new PieceSummer();

  addHeader({ entry, paddingBytes }: PlacedHeader): void {
    this.addData(encodeLocalHeader(entry, paddingBytes));
  }

  addData(bytes: Uint8Array): void {
    this.#sha256.update(bytes);
    this.#pieces.update(bytes);
  }

  /** Adds the directory of `plan`, and returns the checksums of the whole volume. Add all entries before. */
  finish(plan: InPlacePlan): VolumeSum {
    const directory = encodeDirectory(plan);
    this.addData(directory);
    return {
      sha256: this.#sha256.digest("hex"),
      crc32s: this.#pieces.digest(),
      directory: directorySum(directory),
    };
  }
}

/**
 * Turns the file at `path` into the planned volume and renames it to `volumePath`. Only the entries' data stay, where they
 * are. The bytes are durable when this resolves; the new name is durable once its folder is synced. `sum` saves hashing
 * if it belongs to this very plan. What is overwritten is saved in `undoPath` before, if that is given.
 */
export async function makeVolumeInPlace(
  plan: InPlacePlan,
  { path, volumePath, undoPath }: InPlacePaths,
  chunk: Uint8Array,
  sum?: VolumeSum,
): Promise<WrittenVolume> {
  const { headers, centralOffset } = plan;
  const fd = openSync(path, "r+");
  try {
    if (undoPath !== undefined) await saveUndo(fd, overwrittenRegions(plan, fstatSync(fd).size), undoPath);
    for (const [index, { entry, offset, paddingBytes }] of headers.entries()) {
      if (index % HEADERS_PER_TURN === 0) await setImmediate();
      writeFully(fd, encodeLocalHeader(entry, paddingBytes), offset);
    }
    const directory = encodeDirectory(plan);
    writeFully(fd, directory, centralOffset);
    const sizeBytes = centralOffset + directory.length;
    ftruncateSync(fd, sizeBytes);
    // Before the flush, so that a journal takes the new name along with the bytes instead of once more.
    renameSync(path, volumePath);
    const isKnown = sum?.directory === directorySum(directory);
    const { sha256, crc32s } = isKnown ? sum : await sumInPlace(plan, fd, chunk);
    if (isKnown) await flushData(fd);
    return { sizeBytes, sha256, crc32s };
  } finally {
    closeSync(fd);
  }
}

export interface InPlacePaths {
  path: string;
  volumePath: string;
  undoPath?: string | undefined;
}

/** The parts of a file of `sizeBytes` that {@link makeVolumeInPlace} overwrites. */
function overwrittenRegions({ headers, centralOffset }: InPlacePlan, sizeBytes: number): Region[] {
  const regions = headers.map(({ entry, offset, paddingBytes }) => ({
    offset,
    length: encodeLocalHeader(entry, paddingBytes).length,
  }));
  return [...regions, { offset: centralOffset, length: sizeBytes - centralOffset }];
}

/** The central directory and the records that end it. */
function encodeDirectory({ headers, centralOffset }: InPlacePlan): Uint8Array {
  const central = Buffer.concat(headers.map(({ entry, offset }) => encodeCentralHeader(entry, offset)));
  const end = encodeEndRecords({ entryCount: headers.length, centralBytes: central.length, centralOffset });
  return Buffer.concat([central, end]);
}

function directorySum(directory: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(directory).digest("hex");
}

async function hashPlanned(plan: InPlacePlan, fd: number, chunk: Uint8Array): Promise<VolumeSum> {
  const summer = new VolumeSummer();
  let hashedBytes = 0;
  for (const header of plan.headers) {
    const { entry, offset, paddingBytes } = header;
    summer.addHeader(header);
    const dataOffset = offset + encodeLocalHeader(entry, paddingBytes).length;
    for (let done = 0; done < entry.storedBytes; ) {
      const wanted = Math.min(chunk.length, entry.storedBytes - done);
      if (readFully(fd, chunk, dataOffset + done, wanted) !== wanted)
        throw new RangeError("the file ends within an entry");
      summer.addData(chunk.subarray(0, wanted));
      done += wanted;
      hashedBytes += wanted;
      if (hashedBytes < HASHED_BYTES_PER_TURN) continue;
      hashedBytes = 0;
      await setImmediate();
    }
  }
  return summer.finish(plan);
}
