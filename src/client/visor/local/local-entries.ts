import type { ByteSource } from "../../../shared/dicom/reading/instance.ts";
import { isSkippedInFolder, isSkippedInZip } from "../../../shared/rules/skipped-names.ts";
import { readZipEntries } from "../../../shared/zip/open-zip-blob.ts";
import { locateEntry, type ZipEntry } from "../../../shared/zip/zip-entry.ts";
import { ZipError } from "../../../shared/zip/zip-error.ts";
import { LOCAL_HEADER_BYTES, METHOD_STORED } from "../../../shared/zip/zip-format.ts";
import { type FileWindow, inflatedSource } from "./local-bytes.ts";
import type { LocalFile } from "./local-files.ts";

/** A file that may be an instance, in a ZIP or not. */
export interface LocalEntry {
  blob: Blob;
  entry?: ZipEntry;
}

/** Where an entry's content is. */
export interface Place {
  blob: Blob;
  offset: number;
  storedBytes: number;
  sizeBytes: number;
  isDeflated: boolean;
}

/** A deflated entry is held whole once a frame of it is seen. */
export const MAX_INFLATED_ENTRY_BYTES = 256 * 1024 * 1024;

const ZIP_NAME = /\.zip$/i;
const ZIP_START = [0x50, 0x4b];

/**
 * The files, and in the place of a ZIP its entries. Names that are never an image's are left out, but counted in `files`.
 */
export async function listEntries(
  files: readonly LocalFile[],
  window: FileWindow,
): Promise<{ entries: LocalEntry[]; files: number }> {
  const found: LocalEntry[] = [];
  let count = 0;
  for (const { path, blob } of files) {
    const entries = isZip({ path, blob }, window) ? await entriesOf(blob) : undefined;
    if (!entries) {
      count++;
      if (!isSkippedInFolder(path)) found.push({ blob });
      continue;
    }
    for (const entry of entries) {
      if (entry.isFolder) continue;
      count++;
      if (!isSkippedInZip(entry.name)) found.push({ blob, entry });
    }
  }
  return { entries: found, files: count };
}

/** A ZIP that was chosen itself, by its name or, as Android's share sheet may drop that, by its bytes. */
function isZip({ path, blob }: LocalFile, window: FileWindow): boolean {
  if (path.includes("/")) return false;
  if (ZIP_NAME.test(path)) return true;
  const start = window.read(blob, 0, ZIP_START.length);
  return ZIP_START.every((byte, at) => start[at] === byte);
}

async function entriesOf(blob: Blob): Promise<ZipEntry[] | undefined> {
  try {
    return await readZipEntries(blob);
  } catch (error) {
    if (error instanceof ZipError) return undefined;
    throw error;
  }
}

/** Undefined for an entry that is encrypted, malformed, compressed in another way, or too large to be held. */
export function placeOf({ blob, entry }: LocalEntry, window: FileWindow): Place | undefined {
  const sizeBytes = blob.size;
  if (!entry) return { blob, offset: 0, storedBytes: sizeBytes, sizeBytes, isDeflated: false };
  const header = window.read(blob, entry.headerOffset, LOCAL_HEADER_BYTES);
  const located = locateEntry(entry, header);
  if (!located.ok) return undefined;
  const isDeflated = located.data.method !== METHOD_STORED;
  if (isDeflated && entry.sizeBytes > MAX_INFLATED_ENTRY_BYTES) return undefined;
  const { offset, length: storedBytes } = located.data;
  return { blob, offset, storedBytes, sizeBytes: entry.sizeBytes, isDeflated };
}

/** The content as a file. @param spend is told how many bytes were inflated */
export function sourceOf(
  { blob, offset, storedBytes, sizeBytes, isDeflated }: Place,
  window: FileWindow,
  spend: (bytes: number) => void,
): ByteSource {
  const stored = window.part(blob, offset, storedBytes);
  return isDeflated ? inflatedSource(stored, sizeBytes, spend) : stored;
}
