import type { ByteRange, Directory } from "./find-directory.ts";
import { ZipError, type ZipLimits } from "./zip-error.ts";
import { type CentralHeader, decodeCentralHeader, isCentralHeader } from "./zip-format.ts";

/** Bytes of the central directory that are read at once; more than its longest header (46 + 3 × 65,535). */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Reads the headers of a central directory chunk by chunk, up to its end or to the first bytes that are not a header (a
 * digital signature may follow, APPNOTE §4.3.13). The count of the end record is a minimum, so that no entry is dropped
 * silently.
 */
export class DirectoryScan {
  #offset: number;
  #count = 0;
  #isOver = false;

  constructor(
    readonly directory: Directory,
    readonly limits: ZipLimits,
  ) {
    this.#offset = directory.offset;
  }

  /** The range of the file to read next; `undefined` once all headers were read. */
  get next(): ByteRange | undefined {
    const length = Math.min(CHUNK_BYTES, this.#end - this.#offset);
    return this.#isOver || length === 0 ? undefined : { offset: this.#offset, length };
  }

  /**
   * The headers that are complete in `chunk`, the bytes of {@link next}; take all of them before the next chunk.
   * @throws {ZipError} if they are malformed, fewer than the end record says, or more than the limit
   */
  *headersIn(chunk: Uint8Array): Iterable<CentralHeader> {
    let at = 0;
    while (isCentralHeader(chunk, at)) {
      const decoded = decodeCentralHeader(chunk, at);
      if (decoded === "invalid") throw this.#malformed();
      if (!decoded) break;
      at += decoded.byteLength;
      if (++this.#count > this.limits.maxEntries) {
        throw new ZipError("zip.too_many_entries", `more than ${this.limits.maxEntries} entries`);
      }
      const { header } = decoded;
      yield { ...header, headerOffset: header.headerOffset + this.directory.shiftBytes };
    }
    this.#offset += at;
    this.#isOver = at === 0 || this.#offset >= this.#end;
    const isCut = at === 0 && isCentralHeader(chunk, 0);
    if (isCut || (this.#isOver && this.#count < this.directory.entryCount)) throw this.#malformed();
  }

  get #end(): number {
    return this.directory.offset + this.directory.length;
  }

  #malformed(): ZipError {
    return new ZipError("zip.malformed", `central header ${this.#count}`);
  }
}
