import { DEFAULT_ZIP_LIMITS, ZipError } from "../../shared/zip/zip-error.ts";
import {
  type CentralHeader,
  decodeCentralHeader,
  decodeEndRecord,
  decodeZip64EndRecord,
  decodeZip64Locator,
  END_RECORD_BYTES,
  ZIP64_END_RECORD_BYTES,
  ZIP64_LOCATOR_BYTES,
} from "../../shared/zip/zip-format.ts";
import { readAhead } from "../runtime/read-ahead.ts";
import type { ByteRange } from "../storage/object-store.ts";
import { PIECE_BYTES } from "./piece-sums.ts";
import { volumeFolder } from "./volume-name.ts";
import { encodeCentralHeader, encodeEndRecords } from "./zip-encode.ts";

/** A volume of a study in any store. `read` returns exactly the range. */
export interface JoinVolume {
  id: string;
  sizeBytes: number;
  read(range: ByteRange): Promise<Uint8Array>;
}

/** Each directory waits for the store. None is larger than its volume. */
const DIRECTORIES_AHEAD = {
  maxItems: 8,
  maxBytes: 16 * 1024 * 1024,
  bytesOf: ({ sizeBytes }: JoinVolume) => sizeBytes,
};
/** A directory of some hundred entries comes with the record behind it. */
const TAIL_BYTES = 32 * 1024;

/** One part of a download: a range of a volume, or bytes made for the download. */
export type JoinPart = { volumeIndex: number; range: ByteRange } | { bytes: Uint8Array };

/** The ZIP file that a study's volumes form, as its parts in order. */
export interface JoinPlan {
  sizeBytes: number;
  parts: JoinPart[];
}

/**
 * Plans the download of a study. A single volume is the file itself. Several become one ZIP: their entries are copied
 * unchanged, and a new directory names them all. The same volumes in the same order give the same bytes.
 * Memory: the central directories (about 100 bytes an instance), within the bounds of {@link DEFAULT_ZIP_LIMITS}.
 * @throws {ZipError} if this server did not write a volume
 */
export async function planDownload(volumes: readonly JoinVolume[]): Promise<JoinPlan> {
  const [first] = volumes;
  if (!first) throw new RangeError("a study without a volume");
  if (volumes.length === 1) {
    return {
      sizeBytes: first.sizeBytes,
      parts: [{ volumeIndex: 0, range: { offset: 0, length: first.sizeBytes } }],
    };
  }
  const folders = new Set(volumes.map(({ id }) => volumeFolder(id)));
  if (folders.size !== volumes.length)
    throw new ZipError("zip.malformed", "two volumes with the same entry names");

  const parts: JoinPart[] = [];
  const central: Uint8Array[] = [];
  let centralOffset = 0;
  let volumeIndex = 0;
  for await (const { result } of readAhead(volumes, readVolumeDirectory, DIRECTORIES_AHEAD)) {
    const { dataBytes, headers } = await result;
    for (const header of headers) {
      central.push(encodeMovedHeader(header, centralOffset));
      if (central.length > DEFAULT_ZIP_LIMITS.maxEntries) {
        throw new ZipError("zip.too_many_entries", `more than ${DEFAULT_ZIP_LIMITS.maxEntries}`);
      }
    }
    parts.push({ volumeIndex: volumeIndex++, range: { offset: 0, length: dataBytes } });
    centralOffset += dataBytes;
  }
  const directory = Buffer.concat(central);
  const end = encodeEndRecords({ entryCount: central.length, centralBytes: directory.length, centralOffset });
  parts.push({ bytes: Buffer.concat([directory, end]) });
  return { sizeBytes: centralOffset + directory.length + end.length, parts };
}

/** The parts of `plan` that make up `range`, which must be within the file. */
export function slicePlan(plan: JoinPlan, range: ByteRange): JoinPart[] {
  const rangeEnd = range.offset + range.length;
  if (range.offset < 0 || range.length < 0 || rangeEnd > plan.sizeBytes)
    throw new RangeError("not in the file");
  const sliced: JoinPart[] = [];
  let partStart = 0;
  for (const part of plan.parts) {
    const partEnd = partStart + ("bytes" in part ? part.bytes.length : part.range.length);
    const from = Math.max(range.offset, partStart) - partStart;
    const to = Math.min(rangeEnd, partEnd) - partStart;
    if (from < to) sliced.push(slicePart(part, from, to));
    partStart = partEnd;
  }
  return sliced;
}

function slicePart(part: JoinPart, from: number, to: number): JoinPart {
  if ("bytes" in part) return { bytes: part.bytes.subarray(from, to) };
  return { ...part, range: { offset: part.range.offset + from, length: to - from } };
}

/** Reads the directory of a volume: its first `dataBytes` are entries, and `headers` describe them. @throws {ZipError} */
export async function readVolumeDirectory(
  volume: JoinVolume,
): Promise<{ dataBytes: number; headers: Iterable<CentralHeader> }> {
  const recordsAt = Math.max(
    0,
    volume.sizeBytes - END_RECORD_BYTES - ZIP64_LOCATOR_BYTES - ZIP64_END_RECORD_BYTES,
  );
  // Bytes are checked by pieces, and damage in one that has no record must not hide the directory.
  const tailAt = Math.max(recordsAt - (recordsAt % PIECE_BYTES), volume.sizeBytes - TAIL_BYTES);
  const tail = await volume.read({ offset: tailAt, length: volume.sizeBytes - tailAt });
  const endAt = tail.length - END_RECORD_BYTES;
  const end = decodeEndRecord(tail, endAt);
  const locatorAt = endAt - ZIP64_LOCATOR_BYTES;
  const isWide = decodeZip64Locator(tail, locatorAt) !== undefined;
  const record = isWide
    ? decodeZip64EndRecord(tail.subarray(Math.max(0, locatorAt - ZIP64_END_RECORD_BYTES)))
    : end;
  if (!record) throw new ZipError("zip.malformed", "no volume of ours");
  const { centralOffset: offset, centralBytes: length, entryCount: count } = record;
  if (!(offset + length <= volume.sizeBytes)) throw new ZipError("zip.malformed", "the directory is outside");
  if (length > DEFAULT_ZIP_LIMITS.maxCentralBytes)
    throw new ZipError("zip.directory_too_large", `${length} bytes`);
  const isInTail = offset >= tailAt;
  const directory = isInTail
    ? tail.subarray(offset - tailAt, offset - tailAt + length)
    : await volume.read({ offset, length });
  return { dataBytes: offset, headers: decodeHeaders(directory, count) };
}

function* decodeHeaders(directory: Uint8Array, count: number): Iterable<CentralHeader> {
  let at = 0;
  for (let i = 0; i < count; i++) {
    const decoded = decodeCentralHeader(directory, at);
    if (!decoded || decoded === "invalid") throw new ZipError("zip.malformed", `central header ${i}`);
    at += decoded.byteLength;
    yield decoded.header;
  }
}

/** The central header of an entry once its volume begins at `byOffset` of another file. @throws {ZipError} */
export function encodeMovedHeader(header: CentralHeader, byOffset: number): Uint8Array {
  const { nameBytes, method, crc32, storedBytes, sizeBytes, headerOffset } = header;
  if (method !== 0 && method !== 8) throw new ZipError("zip.malformed", "a method that volumes do not use");
  const name = Buffer.from(nameBytes).toString("latin1");
  return encodeCentralHeader({ name, method, crc32, storedBytes, sizeBytes }, headerOffset + byOffset);
}
