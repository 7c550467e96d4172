import { closeSync, fdatasync, ftruncateSync, openSync, renameSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { EXTRA_HEADER_BYTES, LOCAL_HEADER_BYTES } from "../../shared/zip/zip-format.ts";
import { readFully } from "./file-window.ts";
import { PieceSummer } from "./piece-sums.ts";
import { entryName, volumeFolder } from "./volume-name.ts";
import type { VolumeEntry, WrittenVolume } from "./volume-writer.ts";
import {
  encodeCentralHeader,
  encodeEndRecords,
  encodeLocalHeader,
  MAX_EXTRA_BYTES,
  type WrittenEntry,
} from "./zip-encode.ts";

/** What headers may be longer than they need be, as a part of the volume. */
const MAX_PADDING = 0.01;
/** Headers, and bytes, between two looks at whether the process that this one works for is still there. */
const HEADERS_PER_TURN = 256;
const HASHED_BYTES_PER_TURN = 4 * 1024 * 1024;

const flushData = promisify(fdatasync);

/** An entry whose data lie in a file already, as a volume shall hold them. */
export interface EntryInFile extends VolumeEntry {
  dataOffset: number;
}

/** How a file becomes a volume without its entries' data being moved: their headers, in the order of the file. */
export interface InPlacePlan {
  headers: PlacedHeader[];
  /** Where the last entry ends and the directory begins. */
  centralOffset: number;
}

interface PlacedHeader {
  entry: WrittenEntry;
  offset: number;
  paddingBytes: number;
}

/**
 * Plans the volume `volumeId` out of a file that holds the data of `entries`, in any order: each local header takes
 * all that lies between the data before it and its own. `undefined` where a header has too little room there, or
 * there is so much between them that it would be kept as padding.
 */
export function planInPlace(volumeId: string, entries: readonly EntryInFile[]): InPlacePlan | undefined {
  const folder = volumeFolder(volumeId);
  const headers: PlacedHeader[] = [];
  let offset = 0;
  let allPadding = 0;
  for (const { dataOffset, ...entry } of entries.toSorted((a, b) => a.dataOffset - b.dataOffset)) {
    const number = headers.length + 1;
    const shortest = { ...entry, name: entryName(folder, number) };
    const spareBytes = dataOffset - offset - encodeLocalHeader(shortest).length;
    if (spareBytes < 0) return undefined;
    // Too little for an extra field: the name takes it.
    const isField = spareBytes >= EXTRA_HEADER_BYTES;
    const named = { ...entry, name: entryName(folder, number, isField ? 0 : spareBytes) };
    const extraBytes = dataOffset - offset - LOCAL_HEADER_BYTES - named.name.length;
    if (extraBytes > MAX_EXTRA_BYTES) return undefined;
    headers.push({ entry: named, offset, paddingBytes: isField ? spareBytes : 0 });
    allPadding += spareBytes;
    offset = dataOffset + entry.storedBytes;
  }
  if (headers.length === 0 || allPadding > offset * MAX_PADDING) return undefined;
  return { headers, centralOffset: offset };
}

/** What a planned volume will be; `directory` is the SHA-256 (hex) of what tells it from any other plan. */
export interface VolumeSum extends Pick<WrittenVolume, "sha256" | "crc32s"> {
  directory: string;
}

/**
 * Hashes the volume that the open file will be, and has the disk write what there is of it meanwhile. Once this
 * settles, nothing uses `fd` any more. `chunk` is what is read at once.
 */
export async function sumInPlace(plan: InPlacePlan, fd: number, chunk: Uint8Array): Promise<VolumeSum> {
  const [flushed, hashed] = await Promise.allSettled([flushData(fd), hashPlanned(plan, fd, chunk)]);
  // The disk tells of a failure once, and the next sync succeeds.
  if (flushed.status === "rejected") throw flushed.reason;
  if (hashed.status === "rejected") throw hashed.reason;
  return { ...hashed.value, directory: directorySum(encodeDirectory(plan)) };
}

/**
 * Makes the file at `path` the planned volume and renames it to `volumePath`: nothing stays of it but the entries'
 * data, which don't move. On the disk when this resolves, but for the new name, which is its folder's. `sum` is
 * used where it is that of this very plan, else made here.
 */
export async function makeVolumeInPlace(
  plan: InPlacePlan,
  path: string,
  volumePath: string,
  chunk: Uint8Array,
  sum?: VolumeSum,
): Promise<WrittenVolume> {
  const { headers, centralOffset } = plan;
  const fd = openSync(path, "r+");
  try {
    for (const [index, { entry, offset, paddingBytes }] of headers.entries()) {
      if (index % HEADERS_PER_TURN === 0) await setImmediate();
      writeFully(fd, encodeLocalHeader(entry, paddingBytes), offset);
    }
    const directory = encodeDirectory(plan);
    writeFully(fd, directory, centralOffset);
    const sizeBytes = centralOffset + directory.length;
    ftruncateSync(fd, sizeBytes);
    const isKnown = sum?.directory === directorySum(directory);
    const { sha256, crc32s } = isKnown ? sum : await sumInPlace(plan, fd, chunk);
    if (isKnown) await flushData(fd);
    renameSync(path, volumePath);
    return { sizeBytes, sha256, crc32s };
  } finally {
    closeSync(fd);
  }
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

async function hashPlanned(
  plan: InPlacePlan,
  fd: number,
  chunk: Uint8Array,
): Promise<Pick<WrittenVolume, "sha256" | "crc32s">> {
  const sha256 = new Bun.CryptoHasher("sha256");
  const pieces = new PieceSummer();
  const hash = (bytes: Uint8Array): void => {
    sha256.update(bytes);
    pieces.update(bytes);
  };
  let hashedBytes = 0;
  for (const { entry, offset, paddingBytes } of plan.headers) {
    const header = encodeLocalHeader(entry, paddingBytes);
    hash(header);
    for (let done = 0; done < entry.storedBytes; ) {
      const wanted = Math.min(chunk.length, entry.storedBytes - done);
      if (readFully(fd, chunk, offset + header.length + done, wanted) !== wanted)
        throw new RangeError("the file ends within an entry");
      hash(chunk.subarray(0, wanted));
      done += wanted;
      hashedBytes += wanted;
      if (hashedBytes < HASHED_BYTES_PER_TURN) continue;
      hashedBytes = 0;
      await setImmediate();
    }
  }
  hash(encodeDirectory(plan));
  return { sha256: sha256.digest("hex"), crc32s: pieces.digest() };
}

function writeFully(fd: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
  }
}
