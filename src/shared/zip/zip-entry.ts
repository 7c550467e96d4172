import { entryName } from "./entry-name.ts";
import type { EntryPlaces } from "./entry-places.ts";
import { type CentralHeader, decodeLocalHeader, METHOD_DEFLATED, METHOD_STORED } from "./zip-format.ts";

/** One entry of the central directory; offsets count from the first byte of the file. */
export interface ZipEntry extends Omit<CentralHeader, "nameBytes" | "isUtf8" | "unicodePath"> {
  name: string;
  isFolder: boolean;
  /** Where its data end at the latest: at the next local header, or at the directory. */
  limitOffset: number;
}

/** Why one entry cannot be read although others can. */
export type EntryFailure = "zip.encrypted" | "zip.method" | "zip.malformed";

/** Where an entry's bytes are, from the first byte of the file. */
export interface EntryData {
  offset: number;
  length: number;
  method: typeof METHOD_STORED | typeof METHOD_DEFLATED;
}

export type LocatedEntry = { ok: true; data: EntryData } | { ok: false; reason: EntryFailure };

export function entryOf(header: CentralHeader, places: EntryPlaces): ZipEntry {
  const { nameBytes: _bytes, isUtf8: _flag, unicodePath: _path, ...rest } = header;
  const name = entryName(header);
  return { ...rest, name, isFolder: isFolder(name, rest), limitOffset: places.limitOf(rest.headerOffset) };
}

/** Some programs on Windows end a folder's name with a backslash; in other names it may be any character. */
export function isFolder(name: string, { sizeBytes }: Pick<CentralHeader, "sizeBytes">): boolean {
  return name.endsWith("/") || (name.endsWith("\\") && sizeBytes === 0);
}

/**
 * Checks an entry against its local header and returns where its data are.
 * @param localHeader the first 30 bytes at `entry.headerOffset`
 */
export function locateEntry(entry: ZipEntry, localHeader: Uint8Array): LocatedEntry {
  const { method, headerOffset, storedBytes } = entry;
  const local = decodeLocalHeader(localHeader);
  if (!local) return { ok: false, reason: "zip.malformed" };
  if (entry.isEncrypted || local.isEncrypted) return { ok: false, reason: "zip.encrypted" };
  if (method !== METHOD_STORED && method !== METHOD_DEFLATED) return { ok: false, reason: "zip.method" };
  const offset = headerOffset + local.byteLength;
  const fits = offset + storedBytes <= entry.limitOffset;
  const isSound =
    fits && local.method === method && (method !== METHOD_STORED || storedBytes === entry.sizeBytes);
  if (!isSound) return { ok: false, reason: "zip.malformed" };
  return { ok: true, data: { offset, length: storedBytes, method } };
}
