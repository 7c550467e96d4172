/** The records of a ZIP file (PKWARE APPNOTE 6.3.10 §4.3), decoded. Offsets and sizes in bytes. */

export const LOCAL_HEADER_BYTES = 30;
export const CENTRAL_HEADER_BYTES = 46;
export const END_RECORD_BYTES = 22;
/** Bytes of the id and length of an extra field, and so of the shortest one. */
export const EXTRA_HEADER_BYTES = 4;
export const ZIP64_LOCATOR_BYTES = 20;
export const ZIP64_END_RECORD_BYTES = 56;
export const MAX_COMMENT_BYTES = 0xffff;

export const METHOD_STORED = 0;
export const METHOD_DEFLATED = 8;

export const LOCAL_SIGNATURE = 0x04034b50;
export const CENTRAL_SIGNATURE = 0x02014b50;
export const END_SIGNATURE = 0x06054b50;
export const ZIP64_END_SIGNATURE = 0x06064b50;
export const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
export const ZIP64_EXTRA = 0x0001;
const UNICODE_PATH_EXTRA = 0x7075;
/** Id of the extra field that reserves room in a ZIP entry's header: it holds zeros (APPNOTE §4.5.1: ids from 32 on are free). */
export const PADDING_EXTRA = 0x7845;

export const FULL_16 = 0xffff;
export const FULL_32 = 0xffffffff;

/** Encrypted, strongly encrypted, or with a masked local header (APPNOTE §4.4.4, bits 0, 6 and 13). */
const ENCRYPTION_FLAGS = 0x2041;
/** Sizes and checksum follow the data (APPNOTE §4.4.4, bit 3). */
const DATA_DESCRIPTOR_FLAG = 0x0008;
const UTF8_FLAG = 0x0800;

/** What the central directory says of one entry. */
export interface CentralHeader {
  nameBytes: Uint8Array;
  isUtf8: boolean;
  /** The content of the Info-ZIP Unicode Path field (APPNOTE §4.6.9), if there is one. */
  unicodePath: Uint8Array | undefined;
  isEncrypted: boolean;
  method: number;
  crc32: number;
  /** Bytes the entry takes in the archive. */
  storedBytes: number;
  /** Size of the entry once inflated. */
  sizeBytes: number;
  headerOffset: number;
}

export interface EndRecord {
  entryCount: number;
  centralBytes: number;
  centralOffset: number;
  commentBytes: number;
  /** Whether the archive, or its directory, is split over several files. */
  isMultiDisk: boolean;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads a 64-bit number; one beyond 2^53 becomes Infinity, which exceeds every bound. */
function readUint64(view: DataView, at: number): number {
  const value = view.getBigUint64(at, true);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}

export function isCentralHeader(bytes: Uint8Array, at: number): boolean {
  return bytes.length - at >= 4 && viewOf(bytes).getUint32(at, true) === CENTRAL_SIGNATURE;
}

/**
 * Decodes the central header at `at`. `nameBytes` and `unicodePath` are views.
 * @returns `undefined` if the bytes end before the header does; `"invalid"` if it is not a central header
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
  const extra = bytes.subarray(nameAt + nameLength, nameAt + nameLength + extraLength);
  const wide = {
    sizeBytes: view.getUint32(at + 24, true),
    storedBytes: view.getUint32(at + 20, true),
    headerOffset: view.getUint32(at + 42, true),
  };
  const disk = view.getUint16(at + 34, true);
  if (disk !== 0 && disk !== FULL_16) return "invalid";
  if (!widen(wide, extra)) return "invalid";
  const header = {
    nameBytes: bytes.subarray(nameAt, nameAt + nameLength),
    isUtf8: (flags & UTF8_FLAG) !== 0,
    unicodePath: findExtra(extra, UNICODE_PATH_EXTRA),
    isEncrypted: (flags & ENCRYPTION_FLAGS) !== 0,
    method: view.getUint16(at + 10, true),
    crc32: view.getUint32(at + 16, true),
    ...wide,
  };
  return { header, byteLength };
}

/**
 * Replaces each field that is full by its ZIP64 value (APPNOTE §4.5.3: only the full ones are there, in this order).
 * Returns false if a needed value is missing.
 */
function widen(
  fields: { sizeBytes: number; storedBytes: number; headerOffset: number },
  extra: Uint8Array,
): boolean {
  const full = (["sizeBytes", "storedBytes", "headerOffset"] as const).filter(
    (key) => fields[key] === FULL_32,
  );
  if (full.length === 0) return true;
  const values = findExtra(extra, ZIP64_EXTRA);
  if (!values || values.length < full.length * 8) return false;
  const view = viewOf(values);
  full.forEach((key, i) => {
    fields[key] = readUint64(view, i * 8);
  });
  return true;
}

/** The content of the first extra field with this id that is complete in `extra` (APPNOTE §4.5.1). */
function findExtra(extra: Uint8Array, id: number): Uint8Array | undefined {
  if (extra.length < EXTRA_HEADER_BYTES) return undefined;
  const view = viewOf(extra);
  for (let at = 0; at + EXTRA_HEADER_BYTES <= extra.length; ) {
    const contentAt = at + EXTRA_HEADER_BYTES;
    const end = contentAt + view.getUint16(at + 2, true);
    if (view.getUint16(at, true) === id && end <= extra.length) return extra.subarray(contentAt, end);
    at = end;
  }
  return undefined;
}

/**
 * Decodes the fixed part of a local header.
 * @returns `undefined` if `bytes` does not begin with one; `byteLength` includes name and extra field
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

/** What a local header says of its entry. */
export interface LocalEntry {
  method: number;
  crc32: number;
  storedBytes: number;
  sizeBytes: number;
  nameBytes: number;
  /** Bytes of the whole header. */
  byteLength: number;
  /** Whether these sizes and checksum hold; else they follow the data, are in an extra field, or are encrypted. */
  isComplete: boolean;
}

/** Decodes the fixed part of a local header with what it says of its entry; `undefined` if `bytes` does not begin with one. */
export function decodeLocalEntry(bytes: Uint8Array): LocalEntry | undefined {
  const header = decodeLocalHeader(bytes);
  if (!header) return undefined;
  const { method, byteLength, isEncrypted } = header;
  const view = viewOf(bytes);
  const storedBytes = view.getUint32(18, true);
  const sizeBytes = view.getUint32(22, true);
  const isStreamed = (view.getUint16(6, true) & DATA_DESCRIPTOR_FLAG) !== 0;
  const isWide = storedBytes === FULL_32 || sizeBytes === FULL_32;
  return {
    method,
    byteLength,
    storedBytes,
    sizeBytes,
    crc32: view.getUint32(14, true),
    nameBytes: view.getUint16(26, true),
    isComplete: !isEncrypted && !isStreamed && !isWide,
  };
}

/** Decodes the end of central directory record at `at`; `undefined` if there is none. */
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

/** The offset of the ZIP64 end record that the locator at `at` names; `undefined` if there is no locator. */
export function decodeZip64Locator(bytes: Uint8Array, at: number): number | undefined {
  if (at < 0 || bytes.length - at < ZIP64_LOCATOR_BYTES) return undefined;
  const view = viewOf(bytes);
  return view.getUint32(at, true) === ZIP64_LOCATOR_SIGNATURE ? readUint64(view, at + 8) : undefined;
}

/** Decodes a ZIP64 end record at the start of `bytes`; `undefined` if there is none. */
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
