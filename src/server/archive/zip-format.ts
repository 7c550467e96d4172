/**
 * The records of a ZIP file (PKWARE APPNOTE 6.3.10 §4.3), encoded and decoded. Pure; offsets and sizes in bytes.
 */

export const LOCAL_HEADER_BYTES = 30;
export const CENTRAL_HEADER_BYTES = 46;
export const END_RECORD_BYTES = 22;
export const ZIP64_LOCATOR_BYTES = 20;
export const ZIP64_END_RECORD_BYTES = 56;
export const MAX_COMMENT_BYTES = 0xffff;

export const METHOD_STORED = 0;
export const METHOD_DEFLATED = 8;

const LOCAL_SIGNATURE = 0x04034b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_EXTRA = 0x0001;

const FULL_16 = 0xffff;
const FULL_32 = 0xffffffff;

const VERSION_DEFLATE = 20;
const VERSION_ZIP64 = 45;
const MADE_BY_UNIX = 3 << 8;
const REGULAR_FILE_0644 = (0o100644 << 16) >>> 0;
/** 1980-01-01, the first day a ZIP can say: equal instances give equal bytes, whenever they are written. */
const FIXED_DOS_DATE = 0x0021;

/** Encrypted, strongly encrypted, or with a masked local header (APPNOTE §4.4.4, bits 0, 6 and 13). */
const ENCRYPTION_FLAGS = 0x2041;
const UTF8_FLAG = 0x0800;

/** What the central directory says of one entry. */
export interface CentralHeader {
  nameBytes: Uint8Array;
  isUtf8: boolean;
  isEncrypted: boolean;
  method: number;
  crc32: number;
  /** Bytes the entry takes in the archive. */
  storedBytes: number;
  /** Bytes it has once inflated. */
  sizeBytes: number;
  headerOffset: number;
}

/** An entry of an archive that we write: its name is plain ASCII. */
export interface WrittenEntry {
  name: string;
  method: 0 | 8;
  crc32: number;
  storedBytes: number;
  sizeBytes: number;
}

export interface EndRecord {
  entryCount: number;
  centralBytes: number;
  centralOffset: number;
  commentBytes: number;
  /** Whether the archive, or its directory, lies on more than this one file. */
  isMultiDisk: boolean;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads a 64-bit number; one beyond 2^53 becomes Infinity, which no bound lets through. */
function readUint64(view: DataView, at: number): number {
  const value = view.getBigUint64(at, true);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}

/**
 * Decodes the central header at `at`. `nameBytes` is a view.
 * @returns `undefined` where the bytes end before the header does; `"invalid"` where it is not a central header
 */
export function decodeCentralHeader(
  bytes: Uint8Array,
  at: number,
): { header: CentralHeader; byteLength: number } | undefined | "invalid" {
  if (bytes.length - at < CENTRAL_HEADER_BYTES) return undefined;
  const view = viewOf(bytes);
  if (view.getUint32(at, true) !== CENTRAL_SIGNATURE) return "invalid";
  const flags = view.getUint16(at + 8, true);
  const nameLength = view.getUint16(at + 28, true);
  const extraLength = view.getUint16(at + 30, true);
  const byteLength = CENTRAL_HEADER_BYTES + nameLength + extraLength + view.getUint16(at + 32, true);
  if (bytes.length - at < byteLength) return undefined;

  const nameAt = at + CENTRAL_HEADER_BYTES;
  const wide = {
    sizeBytes: view.getUint32(at + 24, true),
    storedBytes: view.getUint32(at + 20, true),
    headerOffset: view.getUint32(at + 42, true),
  };
  const disk = view.getUint16(at + 34, true);
  if (disk !== 0 && disk !== FULL_16) return "invalid";
  if (!widen(wide, view, nameAt + nameLength, extraLength)) return "invalid";
  const header = {
    nameBytes: bytes.subarray(nameAt, nameAt + nameLength),
    isUtf8: (flags & UTF8_FLAG) !== 0,
    isEncrypted: (flags & ENCRYPTION_FLAGS) !== 0,
    method: view.getUint16(at + 10, true),
    crc32: view.getUint32(at + 16, true),
    ...wide,
  };
  return { header, byteLength };
}

/**
 * Replaces each field that is full by its ZIP64 value (APPNOTE §4.5.3: only the full ones are there, in this
 * order). False where a needed value is missing.
 */
function widen(
  fields: { sizeBytes: number; storedBytes: number; headerOffset: number },
  view: DataView,
  extraAt: number,
  extraLength: number,
): boolean {
  const full = (["sizeBytes", "storedBytes", "headerOffset"] as const).filter(
    (key) => fields[key] === FULL_32,
  );
  if (full.length === 0) return true;
  const end = extraAt + extraLength;
  for (let at = extraAt; at + 4 <= end; ) {
    const length = view.getUint16(at + 2, true);
    const valueAt = at + 4;
    if (view.getUint16(at, true) === ZIP64_EXTRA && valueAt + length <= end) {
      if (length < full.length * 8) return false;
      full.forEach((key, i) => {
        fields[key] = readUint64(view, valueAt + i * 8);
      });
      return true;
    }
    at = valueAt + length;
  }
  return false;
}

/**
 * Decodes the fixed part of a local header.
 * @returns `undefined` where `bytes` does not begin with one; `byteLength` counts name and extra field too
 */
export function decodeLocalHeader(
  bytes: Uint8Array,
): { method: number; isEncrypted: boolean; byteLength: number } | undefined {
  if (bytes.length < LOCAL_HEADER_BYTES) return undefined;
  const view = viewOf(bytes);
  if (view.getUint32(0, true) !== LOCAL_SIGNATURE) return undefined;
  return {
    method: view.getUint16(8, true),
    isEncrypted: (view.getUint16(6, true) & ENCRYPTION_FLAGS) !== 0,
    byteLength: LOCAL_HEADER_BYTES + view.getUint16(26, true) + view.getUint16(28, true),
  };
}

/** Decodes the end of central directory record at `at`; `undefined` where there is none. */
export function decodeEndRecord(bytes: Uint8Array, at: number): EndRecord | undefined {
  if (at < 0 || bytes.length - at < END_RECORD_BYTES) return undefined;
  const view = viewOf(bytes);
  if (view.getUint32(at, true) !== END_SIGNATURE) return undefined;
  const entryCount = view.getUint16(at + 10, true);
  const disks = [view.getUint16(at + 4, true), view.getUint16(at + 6, true)];
  return {
    entryCount,
    centralBytes: view.getUint32(at + 12, true),
    centralOffset: view.getUint32(at + 16, true),
    commentBytes: view.getUint16(at + 20, true),
    isMultiDisk:
      disks.some((disk) => disk !== 0 && disk !== FULL_16) || view.getUint16(at + 8, true) !== entryCount,
  };
}

/** The offset of the ZIP64 end record that the locator at `at` names; `undefined` where there is no locator. */
export function decodeZip64Locator(bytes: Uint8Array, at: number): number | undefined {
  if (at < 0 || bytes.length - at < ZIP64_LOCATOR_BYTES) return undefined;
  const view = viewOf(bytes);
  return view.getUint32(at, true) === ZIP64_LOCATOR_SIGNATURE ? readUint64(view, at + 8) : undefined;
}

/** Decodes a ZIP64 end record at the start of `bytes`; `undefined` where there is none. */
export function decodeZip64EndRecord(bytes: Uint8Array): Omit<EndRecord, "commentBytes"> | undefined {
  if (bytes.length < ZIP64_END_RECORD_BYTES) return undefined;
  const view = viewOf(bytes);
  if (view.getUint32(0, true) !== ZIP64_END_SIGNATURE) return undefined;
  const entryCount = readUint64(view, 32);
  return {
    entryCount,
    centralBytes: readUint64(view, 40),
    centralOffset: readUint64(view, 48),
    isMultiDisk:
      view.getUint32(16, true) !== 0 || view.getUint32(20, true) !== 0 || readUint64(view, 24) !== entryCount,
  };
}

/** The local header of `entry`, name and ZIP64 extra field included. */
export function encodeLocalHeader(entry: WrittenEntry): Uint8Array {
  const name = Buffer.from(entry.name, "latin1");
  const isWide = entry.sizeBytes >= FULL_32 || entry.storedBytes >= FULL_32;
  // Unlike the central header, a local one has both sizes in its ZIP64 field or none (APPNOTE §4.5.3).
  const extra = isWide ? encodeZip64Extra([entry.sizeBytes, entry.storedBytes]) : new Uint8Array(0);
  const bytes = new Uint8Array(LOCAL_HEADER_BYTES + name.length + extra.length);
  const view = viewOf(bytes);
  view.setUint32(0, LOCAL_SIGNATURE, true);
  view.setUint16(4, isWide ? VERSION_ZIP64 : VERSION_DEFLATE, true);
  view.setUint16(8, entry.method, true);
  view.setUint16(12, FIXED_DOS_DATE, true);
  view.setUint32(14, entry.crc32, true);
  view.setUint32(18, isWide ? FULL_32 : entry.storedBytes, true);
  view.setUint32(22, isWide ? FULL_32 : entry.sizeBytes, true);
  view.setUint16(26, name.length, true);
  view.setUint16(28, extra.length, true);
  bytes.set(name, LOCAL_HEADER_BYTES);
  bytes.set(extra, LOCAL_HEADER_BYTES + name.length);
  return bytes;
}

/** The central header of `entry`, whose local header lies at `headerOffset`. */
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

/** The records behind the central directory, with the ZIP64 pair where a number needs it. */
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
