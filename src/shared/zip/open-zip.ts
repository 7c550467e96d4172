import { DirectoryScan } from "./directory-scan.ts";
import { EntryPlaces } from "./entry-places.ts";
import { type ByteRange, type Directory, type FileReading, findDirectory } from "./find-directory.ts";
import { entryOf, type LocatedEntry, locateEntry, type ZipEntry } from "./zip-entry.ts";
import { DEFAULT_ZIP_LIMITS, type ZipLimits } from "./zip-error.ts";
import { type CentralHeader, LOCAL_HEADER_BYTES } from "./zip-format.ts";

/** Reads bytes of a file on request; fewer at its end. The view is valid until the next read. */
export interface ZipSource {
  readonly sizeBytes: number;
  read(offset: number, length: number): Uint8Array;
}

/** A ZIP file as its central directory describes it; every offset is checked to be within the file before it is used. */
export interface ZipArchive {
  readonly entryCount: number;
  /** The entries in the order of the directory, decoded one at a time. */
  entries(): Iterable<ZipEntry>;
  /** Checks the entry's local header and returns where its data are. */
  locate(entry: ZipEntry): LocatedEntry;
}

/**
 * Opens a ZIP file by its central directory. `limits` bound the memory, whatever the file says.
 * @throws {ZipError} if it is not a ZIP, is split over several disks, exceeds a limit, or has entries that overlap
 */
export function openZip(file: ZipSource, limits: ZipLimits = DEFAULT_ZIP_LIMITS): ZipArchive {
  const directory = readThrough(findDirectory(file.sizeBytes, limits), file);
  const places = new EntryPlaces(headers(file, directory, limits), directory, limits.maxEntries);
  return {
    entryCount: places.count,
    *entries() {
      for (const header of headers(file, directory, limits)) yield entryOf(header, places);
    },
    locate: (entry) => locateEntry(entry, file.read(entry.headerOffset, LOCAL_HEADER_BYTES)),
  };
}

function readThrough<Result>(reading: FileReading<Result>, file: ZipSource): Result {
  let step = reading.next();
  while (!step.done) step = reading.next(copyOf(file, step.value));
  return step.value;
}

function* headers(file: ZipSource, directory: Directory, limits: ZipLimits): Iterable<CentralHeader> {
  const scan = new DirectoryScan(directory, limits);
  for (let range = scan.next; range; range = scan.next) yield* scan.headersIn(copyOf(file, range));
}

/** A copy, because the caller reads other parts of the file between two headers. */
function copyOf(file: ZipSource, { offset, length }: ByteRange): Uint8Array {
  return new Uint8Array(file.read(offset, length));
}
