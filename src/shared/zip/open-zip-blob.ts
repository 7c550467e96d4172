import { DirectoryScan } from "./directory-scan.ts";
import { EntryPlaces } from "./entry-places.ts";
import { type ByteRange, type FileReading, findDirectory } from "./find-directory.ts";
import { entryOf, type LocatedEntry, locateEntry, type ZipEntry } from "./zip-entry.ts";
import { DEFAULT_ZIP_LIMITS } from "./zip-error.ts";
import { type CentralHeader, LOCAL_HEADER_BYTES } from "./zip-format.ts";

/**
 * The entries of a ZIP file in the browser, in the order of its directory: the same ones that the server sees.
 * @throws {ZipError} as `openZip` does; the browser's own error if the file is gone
 */
export async function readZipEntries(file: Blob): Promise<ZipEntry[]> {
  const directory = await readThrough(findDirectory(file.size, DEFAULT_ZIP_LIMITS), file);
  const scan = new DirectoryScan(directory, DEFAULT_ZIP_LIMITS);
  const headers: CentralHeader[] = [];
  for (let range = scan.next; range; range = scan.next) {
    for (const header of scan.headersIn(await bytesOf(file, range))) headers.push(header);
  }
  const places = new EntryPlaces(headers, directory, DEFAULT_ZIP_LIMITS.maxEntries);
  return headers.map((header) => entryOf(header, places));
}

/** Checks the entry's local header and returns where its data are. */
export async function locateInBlob(file: Blob, entry: ZipEntry): Promise<LocatedEntry> {
  return locateEntry(entry, await bytesOf(file, { offset: entry.headerOffset, length: LOCAL_HEADER_BYTES }));
}

async function readThrough<Result>(reading: FileReading<Result>, file: Blob): Promise<Result> {
  let step = reading.next();
  while (!step.done) step = reading.next(await bytesOf(file, step.value));
  return step.value;
}

async function bytesOf(file: Blob, { offset, length }: ByteRange): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
}
