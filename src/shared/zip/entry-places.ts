import type { Directory } from "./find-directory.ts";
import { ZipError } from "./zip-error.ts";
import { CENTRAL_HEADER_BYTES, type CentralHeader, LOCAL_HEADER_BYTES } from "./zip-format.ts";

/** Where the entries of an archive begin and end; no two of them share a byte. */
export class EntryPlaces {
  readonly count: number;
  /** Offsets of all local headers, ascending. */
  readonly #starts: Float64Array;

  /**
   * Reads all headers once, and so rejects a ZIP bomb that lists the same bytes many times.
   * @throws {ZipError} if an entry reaches into the next one or into the directory
   */
  constructor(
    headers: Iterable<Pick<CentralHeader, "headerOffset" | "storedBytes">>,
    readonly directory: Directory,
    maxEntries: number,
  ) {
    const room = Math.min(maxEntries, Math.floor(directory.length / CENTRAL_HEADER_BYTES));
    const starts = new Float64Array(room);
    const ends = new Map<number, number>();
    let isAscending = true;
    let count = 0;
    let lastEnd = 0;
    for (const { headerOffset, storedBytes } of headers) {
      const end = headerOffset + LOCAL_HEADER_BYTES + storedBytes;
      if (!(end <= directory.offset)) throw new ZipError("zip.malformed", `entry ${count} runs past its end`);
      if (headerOffset < lastEnd) isAscending = false;
      lastEnd = end;
      ends.set(headerOffset, end);
      starts[count++] = headerOffset;
    }
    this.count = count;
    this.#starts = starts.subarray(0, count);
    if (!isAscending) this.#sort(ends);
  }

  /** Where the entry at `headerOffset` ends at the latest: at the next local header, or at the directory. */
  limitOf(headerOffset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) > headerOffset) high = middle;
      else low = middle + 1;
    }
    return this.#starts[low] ?? this.directory.offset;
  }

  #sort(ends: ReadonlyMap<number, number>): void {
    const starts = this.#starts.sort();
    for (let i = 1; i < starts.length; i++) {
      if ((ends.get(starts[i - 1] ?? 0) ?? 0) > (starts[i] ?? 0)) {
        throw new ZipError("zip.overlap", "two entries share bytes");
      }
    }
  }
}
