import type { ByteSource } from "../dicom/instance.ts";
import {
  CENTRAL_HEADER_BYTES,
  type CentralHeader,
  decodeCentralHeader,
  decodeEndRecord,
  decodeLocalHeader,
  decodeZip64EndRecord,
  decodeZip64Locator,
  END_RECORD_BYTES,
  type EndRecord,
  LOCAL_HEADER_BYTES,
  MAX_COMMENT_BYTES,
  METHOD_DEFLATED,
  METHOD_STORED,
  ZIP64_END_RECORD_BYTES,
  ZIP64_LOCATOR_BYTES,
} from "./zip-format.ts";
import { decodeEntryName } from "./zip-name.ts";

/** Bytes of the central directory read at once; more than its longest header (46 + 3 × 65,535). */
const CENTRAL_CHUNK_BYTES = 1024 * 1024;

export type ZipFailure =
  | "zip.not_zip"
  | "zip.malformed"
  | "zip.multi_disk"
  | "zip.too_many_entries"
  | "zip.directory_too_large"
  | "zip.overlap";

/** The archive as a whole can't be read. */
export class ZipError extends Error {
  override name = "ZipError";
  constructor(
    readonly code: ZipFailure,
    detail: string,
  ) {
    super(detail);
  }
}

/** Why one entry can't be read while others can. */
export type EntryFailure = "zip.encrypted" | "zip.method" | "zip.malformed";

export interface ZipLimits {
  maxEntries: number;
  maxCentralBytes: number;
}

export const DEFAULT_ZIP_LIMITS: ZipLimits = { maxEntries: 200_000, maxCentralBytes: 128 * 1024 * 1024 };

/** One entry of the central directory; `headerOffset` counts from the first byte of the file. */
export interface ZipEntry extends Omit<CentralHeader, "nameBytes" | "isUtf8"> {
  name: string;
  isFolder: boolean;
}

/** Where an entry's bytes are, from the first byte of the file. */
export interface EntryData {
  offset: number;
  length: number;
  method: typeof METHOD_STORED | typeof METHOD_DEFLATED;
}

/** A ZIP file as its central directory describes it; nothing is trusted before it is within the file. */
export interface ZipArchive {
  readonly entryCount: number;
  /** The entries in the order of the directory, decoded as they are asked for. */
  entries(): Iterable<ZipEntry>;
  /** Checks the entry's local header and says where its data lies. */
  locate(entry: ZipEntry): { ok: true; data: EntryData } | { ok: false; reason: EntryFailure };
}

/** The central directory of a file: `shiftBytes` is what lies in front of the archive (self-extracting files). */
interface Directory {
  offset: number;
  length: number;
  entryCount: number;
  shiftBytes: number;
}

/**
 * Opens a ZIP file by its central directory. Reads go through `file`, memory is bounded by `limits`.
 * @throws {ZipError} where it is none, lies on several disks, breaks a limit, or has entries that overlap
 */
export function openZip(file: ByteSource, limits: ZipLimits = DEFAULT_ZIP_LIMITS): ZipArchive {
  const directory = findDirectory(file);
  if (directory.entryCount > limits.maxEntries) {
    throw new ZipError("zip.too_many_entries", `${directory.entryCount} entries`);
  }
  if (directory.length > limits.maxCentralBytes) {
    throw new ZipError("zip.directory_too_large", `${directory.length} bytes`);
  }
  const starts = checkedStarts(file, directory);
  return {
    entryCount: directory.entryCount,
    *entries() {
      for (const { nameBytes, isUtf8, ...header } of headers(file, directory)) {
        const name = decodeEntryName(nameBytes, isUtf8);
        yield { ...header, name, isFolder: name.endsWith("/") };
      }
    },
    locate: (entry) => locate(file, entry, startAfter(starts, entry.headerOffset) ?? directory.offset),
  };
}

function findDirectory(file: ByteSource): Directory {
  const tailBytes = Math.min(file.sizeBytes, END_RECORD_BYTES + MAX_COMMENT_BYTES);
  const tailOffset = file.sizeBytes - tailBytes;
  const tail = new Uint8Array(file.read(tailOffset, tailBytes));
  const endAt = findEndRecord(tail);
  const end = endAt === undefined ? undefined : decodeEndRecord(tail, endAt);
  if (endAt === undefined || !end) throw new ZipError("zip.not_zip", "no end of central directory");

  const endOffset = tailOffset + endAt;
  const wide = findZip64EndRecord(file, endOffset);
  const { entryCount, centralBytes, centralOffset, isMultiDisk } = wide?.record ?? end;
  if (isMultiDisk) throw new ZipError("zip.multi_disk", "on several disks");
  const offset = (wide?.offset ?? endOffset) - centralBytes;
  const shiftBytes = offset - centralOffset;
  if (!(offset >= 0 && shiftBytes >= 0) || entryCount * CENTRAL_HEADER_BYTES > centralBytes) {
    throw new ZipError("zip.malformed", "the central directory does not fit into the file");
  }
  return { offset, length: centralBytes, entryCount, shiftBytes };
}

/** The last end record whose comment ends with the file, else the last one whose comment fits into it. */
function findEndRecord(tail: Uint8Array): number | undefined {
  let fitting: number | undefined;
  for (let at = tail.length - END_RECORD_BYTES; at >= 0; at--) {
    if (tail[at] !== 0x50) continue;
    const end = decodeEndRecord(tail, at);
    const behind = tail.length - at - END_RECORD_BYTES;
    if (end?.commentBytes === behind) return at;
    if (end && end.commentBytes < behind) fitting ??= at;
  }
  return fitting;
}

function findZip64EndRecord(
  file: ByteSource,
  endOffset: number,
): { offset: number; record: Omit<EndRecord, "commentBytes"> } | undefined {
  const locatorOffset = endOffset - ZIP64_LOCATOR_BYTES;
  if (locatorOffset < 0) return undefined;
  const named = decodeZip64Locator(file.read(locatorOffset, ZIP64_LOCATOR_BYTES), 0);
  if (named === undefined) return undefined;
  // With bytes in front of the archive the locator is off by them; the record then lies right before it.
  for (const offset of [named, locatorOffset - ZIP64_END_RECORD_BYTES]) {
    if (offset < 0 || offset + ZIP64_END_RECORD_BYTES > locatorOffset) continue;
    const record = decodeZip64EndRecord(file.read(offset, ZIP64_END_RECORD_BYTES));
    if (record) return { offset, record };
  }
  throw new ZipError("zip.malformed", "the ZIP64 end record is not where its locator says");
}

function* headers(file: ByteSource, directory: Directory): Iterable<CentralHeader> {
  const end = directory.offset + directory.length;
  let offset = directory.offset;
  let chunk = new Uint8Array(0);
  let at = 0;
  for (let i = 0; i < directory.entryCount; i++) {
    let decoded = decodeCentralHeader(chunk, at);
    if (!decoded) {
      offset += at;
      // Copied: the caller reads other parts of the file between two headers.
      chunk = new Uint8Array(file.read(offset, Math.min(CENTRAL_CHUNK_BYTES, end - offset)));
      at = 0;
      decoded = decodeCentralHeader(chunk, at);
    }
    if (!decoded || decoded === "invalid") throw new ZipError("zip.malformed", `central header ${i}`);
    at += decoded.byteLength;
    const { header } = decoded;
    yield { ...header, headerOffset: header.headerOffset + directory.shiftBytes };
  }
}

/**
 * The offsets of all local headers in ascending order, once it is sure that no entry reaches into the next:
 * a ZIP bomb that says the same bytes many times over ends here.
 */
function checkedStarts(file: ByteSource, directory: Directory): Float64Array {
  const starts = new Float64Array(directory.entryCount);
  const ends = new Map<number, number>();
  let count = 0;
  let isAscending = true;
  let lastEnd = 0;
  for (const { headerOffset, storedBytes } of headers(file, directory)) {
    const end = headerOffset + LOCAL_HEADER_BYTES + storedBytes;
    if (!(end <= directory.offset)) throw new ZipError("zip.malformed", `entry ${count} runs past its end`);
    if (headerOffset < lastEnd) isAscending = false;
    lastEnd = end;
    ends.set(headerOffset, end);
    starts[count++] = headerOffset;
  }
  if (isAscending) return starts;
  starts.sort();
  for (let i = 1; i < count; i++) {
    if ((ends.get(starts[i - 1] ?? 0) ?? 0) > (starts[i] ?? 0)) {
      throw new ZipError("zip.overlap", "two entries share bytes");
    }
  }
  return starts;
}

/** The first header behind `headerOffset`; `undefined` for the last entry. */
function startAfter(starts: Float64Array, headerOffset: number): number | undefined {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) > headerOffset) high = middle;
    else low = middle + 1;
  }
  return starts[low];
}

function locate(file: ByteSource, entry: ZipEntry, limit: number): ReturnType<ZipArchive["locate"]> {
  const { method, headerOffset, storedBytes } = entry;
  const local = decodeLocalHeader(file.read(headerOffset, LOCAL_HEADER_BYTES));
  if (!local) return { ok: false, reason: "zip.malformed" };
  if (entry.isEncrypted || local.isEncrypted) return { ok: false, reason: "zip.encrypted" };
  if (method !== METHOD_STORED && method !== METHOD_DEFLATED) return { ok: false, reason: "zip.method" };
  const offset = headerOffset + local.byteLength;
  const fits = offset + storedBytes <= limit;
  const isSound =
    fits && local.method === method && (method !== METHOD_STORED || storedBytes === entry.sizeBytes);
  if (!isSound) return { ok: false, reason: "zip.malformed" };
  return { ok: true, data: { offset, length: storedBytes, method } };
}
