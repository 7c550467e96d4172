import { ZipError, type ZipLimits } from "./zip-error.ts";
import {
  CENTRAL_HEADER_BYTES,
  decodeEndRecord,
  decodeZip64EndRecord,
  decodeZip64Locator,
  END_RECORD_BYTES,
  type EndRecord,
  MAX_COMMENT_BYTES,
  ZIP64_END_RECORD_BYTES,
  ZIP64_LOCATOR_BYTES,
} from "./zip-format.ts";

/** A part of a file. */
export interface ByteRange {
  offset: number;
  length: number;
}

/** Reads a file through its caller: yields the range it needs next and receives its bytes, fewer at the end of the file. */
export type FileReading<Result> = Generator<ByteRange, Result, Uint8Array>;

/** The central directory of a file. `shiftBytes` is the length of what precedes the archive (self-extracting files). */
export interface Directory {
  offset: number;
  length: number;
  /** The number of entries by the end record. A writer without ZIP64 counts modulo 65,536, so there may be more. */
  entryCount: number;
  shiftBytes: number;
}

/**
 * Finds the central directory from the end of the file.
 * @throws {ZipError} if there is none, it is split over several disks, or it exceeds a limit
 */
export function* findDirectory(fileBytes: number, limits: ZipLimits): FileReading<Directory> {
  const tailBytes = Math.min(fileBytes, END_RECORD_BYTES + MAX_COMMENT_BYTES);
  const tailOffset = fileBytes - tailBytes;
  const tail = yield { offset: tailOffset, length: tailBytes };
  const endAt = findEndRecord(tail);
  const end = endAt === undefined ? undefined : decodeEndRecord(tail, endAt);
  if (endAt === undefined || !end) throw new ZipError("zip.not_zip", "no end of central directory");

  const endOffset = tailOffset + endAt;
  const wide = yield* findZip64EndRecord(endOffset);
  const { entryCount, centralBytes, centralOffset, isMultiDisk } = wide?.record ?? end;
  if (isMultiDisk) throw new ZipError("zip.multi_disk", "on several disks");
  const offset = (wide?.offset ?? endOffset) - centralBytes;
  const shiftBytes = offset - centralOffset;
  if (!(offset >= 0 && shiftBytes >= 0) || entryCount * CENTRAL_HEADER_BYTES > centralBytes) {
    throw new ZipError("zip.malformed", "the central directory does not fit into the file");
  }
  if (entryCount > limits.maxEntries) throw new ZipError("zip.too_many_entries", `${entryCount} entries`);
  if (centralBytes > limits.maxCentralBytes) {
    throw new ZipError("zip.directory_too_large", `${centralBytes} bytes`);
  }
  return { offset, length: centralBytes, entryCount, shiftBytes };
}

/** The last end record whose comment ends with the file, else the last one whose comment fits into the file. */
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

function* findZip64EndRecord(
  endOffset: number,
): FileReading<{ offset: number; record: Omit<EndRecord, "commentBytes"> } | undefined> {
  const locatorOffset = endOffset - ZIP64_LOCATOR_BYTES;
  if (locatorOffset < 0) return undefined;
  const named = decodeZip64Locator(yield { offset: locatorOffset, length: ZIP64_LOCATOR_BYTES }, 0);
  if (named === undefined) return undefined;
  // If bytes precede the archive, the locator's offset is too small by their length; the record is then right before the
  // locator.
  for (const offset of [named, locatorOffset - ZIP64_END_RECORD_BYTES]) {
    if (offset < 0 || offset + ZIP64_END_RECORD_BYTES > locatorOffset) continue;
    const record = decodeZip64EndRecord(yield { offset, length: ZIP64_END_RECORD_BYTES });
    if (record) return { offset, record };
  }
  throw new ZipError("zip.malformed", "the ZIP64 end record is not where its locator says");
}
