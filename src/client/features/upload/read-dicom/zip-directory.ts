import { inflateHead } from "./inflate-head.ts";

/** An entry as the central directory has it. */
export interface ZipEntry {
  path: string;
  isEncrypted: boolean;
  method: number;
  compressedBytes: number;
  localHeaderOffset: number;
}

const END = 0x06054b50;
const END_BYTES = 22;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END = 0x06064b50;
const ZIP64_END_BYTES = 56;
const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_ENTRY_BYTES = 46;
const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const ZIP64_EXTRA = 1;

const MAX_COMMENT_BYTES = 65_535;
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;
const UNKNOWN_32 = 0xffffffff;
const ENCRYPTED_FLAG = 1;
const UTF8_FLAG = 0x800;
const METHOD_STORED = 0;
const METHOD_DEFLATED = 8;

/**
 * The entries of a ZIP, read from its end; of the file only the directory is held. Answers undefined where it is
 * no ZIP, is damaged, or has a directory beyond 64 MB.
 */
export async function readZipDirectory(file: Blob): Promise<ZipEntry[] | undefined> {
  const directory = await locateDirectory(file);
  if (!directory || directory.sizeBytes > MAX_DIRECTORY_BYTES) return undefined;
  const view = await viewOf(file, directory.offset, directory.sizeBytes);
  return view && parseDirectory(view, directory.shift);
}

/**
 * The first bytes of an entry's content, at most `maxBytes`; undefined where the entry cannot be read
 * (encrypted, another method than stored and deflated, damaged).
 */
export async function readEntryHead(
  file: Blob,
  entry: ZipEntry,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const header = await viewOf(file, entry.localHeaderOffset, LOCAL_HEADER_BYTES);
  if (!header || entry.isEncrypted || header.getUint32(0, true) !== LOCAL_HEADER) return undefined;
  const start =
    entry.localHeaderOffset + LOCAL_HEADER_BYTES + header.getUint16(26, true) + header.getUint16(28, true);
  const end = start + Math.min(entry.compressedBytes, maxBytes);
  const bytes = new Uint8Array(await file.slice(start, end).arrayBuffer());
  if (entry.method === METHOD_STORED) return bytes;
  return entry.method === METHOD_DEFLATED ? inflateHead(bytes, maxBytes) : undefined;
}

interface Directory {
  offset: number;
  sizeBytes: number;
  /** Bytes in front of the archive (a self-extracting one): added to every offset in it. */
  shift: number;
}

async function locateDirectory(file: Blob): Promise<Directory | undefined> {
  const tailStart = Math.max(0, file.size - END_BYTES - MAX_COMMENT_BYTES - ZIP64_LOCATOR_BYTES);
  const tail = await viewOf(file, tailStart, file.size - tailStart);
  const end = tail && findEnd(tail);
  if (!tail || end === undefined) return undefined;
  const zip64 = await readZip64End(file, tail, end);
  if (zip64) return zip64;
  const sizeBytes = tail.getUint32(end + 12, true);
  const stated = tail.getUint32(end + 16, true);
  const shift = tailStart + end - sizeBytes - stated;
  return shift < 0 ? undefined : { offset: stated + shift, sizeBytes, shift };
}

function findEnd(tail: DataView): number | undefined {
  for (let at = tail.byteLength - END_BYTES; at >= 0; at--) {
    if (tail.getUint32(at, true) === END) return at;
  }
  return undefined;
}

async function readZip64End(file: Blob, tail: DataView, end: number): Promise<Directory | undefined> {
  const locator = end - ZIP64_LOCATOR_BYTES;
  if (locator < 0 || tail.getUint32(locator, true) !== ZIP64_LOCATOR) return undefined;
  const record = await viewOf(file, Number(tail.getBigUint64(locator + 8, true)), ZIP64_END_BYTES);
  if (!record || record.getUint32(0, true) !== ZIP64_END) return undefined;
  return {
    sizeBytes: Number(record.getBigUint64(40, true)),
    offset: Number(record.getBigUint64(48, true)),
    shift: 0,
  };
}

function parseDirectory(view: DataView, shift: number): ZipEntry[] | undefined {
  const entries: ZipEntry[] = [];
  let at = 0;
  while (at + DIRECTORY_ENTRY_BYTES <= view.byteLength && view.getUint32(at, true) === DIRECTORY_ENTRY) {
    const nameBytes = view.getUint16(at + 28, true);
    const extraBytes = view.getUint16(at + 30, true);
    const next = at + DIRECTORY_ENTRY_BYTES + nameBytes + extraBytes + view.getUint16(at + 32, true);
    if (next > view.byteLength) return undefined;
    const flags = view.getUint16(at + 8, true);
    const extra = new DataView(
      view.buffer,
      view.byteOffset + at + DIRECTORY_ENTRY_BYTES + nameBytes,
      extraBytes,
    );
    const sizes = readSizes(view, at, extra);
    entries.push({
      path: decodePath(view, at + DIRECTORY_ENTRY_BYTES, nameBytes, (flags & UTF8_FLAG) !== 0),
      isEncrypted: (flags & ENCRYPTED_FLAG) !== 0,
      method: view.getUint16(at + 10, true),
      compressedBytes: sizes.compressedBytes,
      localHeaderOffset: sizes.localHeaderOffset + shift,
    });
    at = next;
  }
  return entries;
}

/** Sizes that don't fit 32 bits are in the ZIP64 extra field, in this order, each only where it is needed. */
function readSizes(view: DataView, at: number, extra: DataView) {
  const wide = zip64Values(extra);
  const take = (value: number) => (value === UNKNOWN_32 ? (wide.shift() ?? value) : value);
  take(view.getUint32(at + 24, true));
  const compressedBytes = take(view.getUint32(at + 20, true));
  const localHeaderOffset = take(view.getUint32(at + 42, true));
  return { compressedBytes, localHeaderOffset };
}

function zip64Values(extra: DataView): number[] {
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) !== ZIP64_EXTRA) continue;
    const values: number[] = [];
    const end = Math.min(extra.byteLength, at + 4 + extra.getUint16(at + 2, true));
    for (let value = at + 4; value + 8 <= end; value += 8)
      values.push(Number(extra.getBigUint64(value, true)));
    return values;
  }
  return [];
}

function decodePath(view: DataView, at: number, lengthBytes: number, isUtf8: boolean): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, lengthBytes);
  return new TextDecoder(isUtf8 ? "utf-8" : "windows-1252").decode(bytes);
}

async function viewOf(file: Blob, offset: number, lengthBytes: number): Promise<DataView | undefined> {
  if (offset < 0 || lengthBytes < 0 || offset + lengthBytes > file.size) return undefined;
  return new DataView(await file.slice(offset, offset + lengthBytes).arrayBuffer());
}
