import {
  CENTRAL_HEADER_BYTES,
  CENTRAL_SIGNATURE,
  END_RECORD_BYTES,
  END_SIGNATURE,
  EXTRA_HEADER_BYTES,
  FULL_16,
  FULL_32,
  LOCAL_HEADER_BYTES,
  LOCAL_SIGNATURE,
  PADDING_EXTRA,
  viewOf,
  ZIP64_END_RECORD_BYTES,
  ZIP64_END_SIGNATURE,
  ZIP64_EXTRA,
  ZIP64_LOCATOR_BYTES,
  ZIP64_LOCATOR_SIGNATURE,
} from "../../shared/zip/zip-format.ts";

const VERSION_DEFLATE = 20;
const VERSION_ZIP64 = 45;
const MADE_BY_UNIX = 3 << 8;
const REGULAR_FILE_0644 = (0o100644 << 16) >>> 0;
/** 1980-01-01, the first date of the format. A fixed date makes equal instances equal bytes. */
const FIXED_DOS_DATE = 0x0021;
export const MAX_EXTRA_BYTES = FULL_16;

/** An entry of an archive that this server writes; its name is plain ASCII. */
export interface WrittenEntry {
  name: string;
  method: 0 | 8;
  crc32: number;
  storedBytes: number;
  sizeBytes: number;
}

/**
 * The local header of `entry`, name and ZIP64 extra field included. An extra field of zeros adds `paddingBytes`,
 * which are 0 or at least {@link EXTRA_HEADER_BYTES}.
 */
export function encodeLocalHeader(entry: WrittenEntry, paddingBytes = 0): Uint8Array {
  const name = Buffer.from(entry.name, "latin1");
  const isWide = entry.sizeBytes >= FULL_32 || entry.storedBytes >= FULL_32;
  // Unlike a central header, a local one has either both sizes or none in its ZIP64 field (APPNOTE §4.5.3).
  const extra = isWide ? encodeZip64Extra([entry.sizeBytes, entry.storedBytes]) : new Uint8Array(0);
  const extraBytes = extra.length + paddingBytes;
  const paddingAt = LOCAL_HEADER_BYTES + name.length + extra.length;
  const bytes = new Uint8Array(paddingAt + paddingBytes);
  const view = viewOf(bytes);
  view.setUint32(0, LOCAL_SIGNATURE, true);
  view.setUint16(4, isWide ? VERSION_ZIP64 : VERSION_DEFLATE, true);
  view.setUint16(8, entry.method, true);
  view.setUint16(12, FIXED_DOS_DATE, true);
  view.setUint32(14, entry.crc32, true);
  view.setUint32(18, isWide ? FULL_32 : entry.storedBytes, true);
  view.setUint32(22, isWide ? FULL_32 : entry.sizeBytes, true);
  view.setUint16(26, name.length, true);
  view.setUint16(28, extraBytes, true);
  bytes.set(name, LOCAL_HEADER_BYTES);
  bytes.set(extra, LOCAL_HEADER_BYTES + name.length);
  if (paddingBytes > 0) {
    view.setUint16(paddingAt, PADDING_EXTRA, true);
    view.setUint16(paddingAt + 2, paddingBytes - EXTRA_HEADER_BYTES, true);
  }
  return bytes;
}

/** The central header of `entry`, whose local header is at `headerOffset`. */
export function encodeCentralHeader(entry: WrittenEntry, headerOffset: number): Uint8Array {
  const name = Buffer.from(entry.name, "latin1");
  const wide = [entry.sizeBytes, entry.storedBytes, headerOffset].filter((value) => value >= FULL_32);
  const extra = wide.length > 0 ? encodeZip64Extra(wide) : new Uint8Array(0);
  const version = wide.length > 0 ? VERSION_ZIP64 : VERSION_DEFLATE;
  const bytes = new Uint8Array(CENTRAL_HEADER_BYTES + name.length + extra.length);
  const view = viewOf(bytes);
  view.setUint32(0, CENTRAL_SIGNATURE, true);
  view.setUint16(4, MADE_BY_UNIX | version, true);
  view.setUint16(6, version, true);
  view.setUint16(10, entry.method, true);
  view.setUint16(14, FIXED_DOS_DATE, true);
  view.setUint32(16, entry.crc32, true);
  view.setUint32(20, Math.min(entry.storedBytes, FULL_32), true);
  view.setUint32(24, Math.min(entry.sizeBytes, FULL_32), true);
  view.setUint16(28, name.length, true);
  view.setUint16(30, extra.length, true);
  view.setUint32(38, REGULAR_FILE_0644, true);
  view.setUint32(42, Math.min(headerOffset, FULL_32), true);
  bytes.set(name, CENTRAL_HEADER_BYTES);
  bytes.set(extra, CENTRAL_HEADER_BYTES + name.length);
  return bytes;
}

function encodeZip64Extra(values: number[]): Uint8Array {
  const bytes = new Uint8Array(4 + values.length * 8);
  const view = viewOf(bytes);
  view.setUint16(0, ZIP64_EXTRA, true);
  view.setUint16(2, values.length * 8, true);
  values.forEach((value, i) => {
    view.setBigUint64(4 + i * 8, BigInt(value), true);
  });
  return bytes;
}

/** The end records behind the central directory, with the two ZIP64 records if a number needs them. */
export function encodeEndRecords(end: {
  entryCount: number;
  centralBytes: number;
  centralOffset: number;
}): Uint8Array {
  const { entryCount, centralBytes, centralOffset } = end;
  const isWide = entryCount >= FULL_16 || centralBytes >= FULL_32 || centralOffset >= FULL_32;
  const wideBytes = isWide ? ZIP64_END_RECORD_BYTES + ZIP64_LOCATOR_BYTES : 0;
  const bytes = new Uint8Array(wideBytes + END_RECORD_BYTES);
  const view = viewOf(bytes);
  if (isWide) {
    view.setUint32(0, ZIP64_END_SIGNATURE, true);
    view.setBigUint64(4, BigInt(ZIP64_END_RECORD_BYTES - 12), true);
    view.setUint16(12, MADE_BY_UNIX | VERSION_ZIP64, true);
    view.setUint16(14, VERSION_ZIP64, true);
    view.setBigUint64(24, BigInt(entryCount), true);
    view.setBigUint64(32, BigInt(entryCount), true);
    view.setBigUint64(40, BigInt(centralBytes), true);
    view.setBigUint64(48, BigInt(centralOffset), true);
    view.setUint32(56, ZIP64_LOCATOR_SIGNATURE, true);
    view.setBigUint64(64, BigInt(centralOffset + centralBytes), true);
    view.setUint32(72, 1, true);
  }
  view.setUint32(wideBytes, END_SIGNATURE, true);
  view.setUint16(wideBytes + 8, Math.min(entryCount, FULL_16), true);
  view.setUint16(wideBytes + 10, Math.min(entryCount, FULL_16), true);
  view.setUint32(wideBytes + 12, Math.min(centralBytes, FULL_32), true);
  view.setUint32(wideBytes + 16, Math.min(centralOffset, FULL_32), true);
  return bytes;
}
