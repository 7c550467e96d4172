import { crc32 } from "node:zlib";
import type { ByteRange } from "../storage/object-store.ts";

/** Files are checked in pieces of this size, so checking a range reads at most two pieces more than the range. */
export const PIECE_BYTES = 64 * 1024;

const SUM_BYTES = 4;

/** Computes the CRC-32 of each piece of a file that it is given from front to back. */
export class PieceSummer {
  readonly #sums: number[] = [];
  #current = 0;
  #filled = 0;

  update(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const part = bytes.subarray(done, done + PIECE_BYTES - this.#filled);
      this.#current = crc32(part, this.#current);
      this.#filled += part.length;
      done += part.length;
      if (this.#filled === PIECE_BYTES) this.#endPiece();
    }
  }

  /** Four bytes a piece, little endian; the last piece may be short. */
  digest(): Uint8Array {
    if (this.#filled > 0) this.#endPiece();
    const digest = new Uint8Array(this.#sums.length * SUM_BYTES);
    const view = new DataView(digest.buffer);
    for (const [index, sum] of this.#sums.entries()) view.setUint32(index * SUM_BYTES, sum, true);
    return digest;
  }

  #endPiece(): void {
    this.#sums.push(this.#current);
    this.#current = 0;
    this.#filled = 0;
  }
}

/** The expected CRC-32 of each piece of a run of bytes: a whole volume, or one entry of it. */
export class PieceSums {
  readonly #view: DataView;

  /**
   * @param run the part of the file that was summed
   * @param crc32s as {@link PieceSummer.digest} gives them
   * @throws {RangeError} if the number of sums is not the number of pieces
   */
  constructor(
    readonly run: ByteRange,
    crc32s: Uint8Array,
  ) {
    if (crc32s.length !== Math.ceil(run.length / PIECE_BYTES) * SUM_BYTES)
      throw new RangeError("not the sums of this run");
    this.#view = new DataView(crc32s.buffer, crc32s.byteOffset, crc32s.byteLength);
  }

  /** About how many bytes it takes in memory. */
  get heldBytes(): number {
    return this.#view.byteLength + 200;
  }

  holds({ offset, length }: ByteRange): boolean {
    return offset >= this.run.offset && offset + length <= this.run.offset + this.run.length;
  }

  /** The range of whole pieces around `range`, which must lie in the run. */
  around({ offset, length }: ByteRange): ByteRange {
    const start = this.run.offset + this.#floor(offset - this.run.offset);
    const end = Math.min(
      this.run.offset + this.#floor(offset + length - this.run.offset + PIECE_BYTES - 1),
      this.run.offset + this.run.length,
    );
    return { offset: start, length: end - start };
  }

  /** Whether `bytes`, whole pieces from `offset` on, match the sums. */
  match(offset: number, bytes: Uint8Array): boolean {
    return this.wrongPieces(offset, bytes).next().done === true;
  }

  /** The pieces of `bytes`, whole pieces from `offset` on, that do not match the sums. */
  *wrongPieces(offset: number, bytes: Uint8Array): Generator<ByteRange> {
    const first = (offset - this.run.offset) / PIECE_BYTES;
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      const expected = this.#view.getUint32((first + at / PIECE_BYTES) * SUM_BYTES, true);
      if (crc32(piece) !== expected) yield { offset: offset + at, length: piece.length };
    }
  }

  #floor(offset: number): number {
    return offset - (offset % PIECE_BYTES);
  }
}
