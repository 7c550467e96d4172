import type { ByteSource } from "./instance.ts";
import { latin1Text } from "./latin1-text.ts";
import { Unreadable } from "./unreadable.ts";

const WINDOW_BYTES = 64 * 1024;
const PEEK_BYTES = 512;

/**
 * Reads numbers and bytes of a source through one window. Reading on past the end of the window loads a whole new one; a
 * jump loads little, so that skipping large values (fragments of pixel data) reads hardly more than their headers.
 * Callers read only within `sizeBytes`.
 */
export class ByteReader {
  readonly sizeBytes: number;
  readonly #source: ByteSource;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #start = 0;
  #end = 0;

  constructor(source: ByteSource) {
    this.#source = source;
    this.sizeBytes = source.sizeBytes;
  }

  u8(offset: number): number {
    const at = this.#seek(offset, 1);
    return this.#view.getUint8(at);
  }

  u16(offset: number, littleEndian: boolean): number {
    const at = this.#seek(offset, 2);
    return this.#view.getUint16(at, littleEndian);
  }

  u32(offset: number, littleEndian: boolean): number {
    const at = this.#seek(offset, 4);
    return this.#view.getUint32(at, littleEndian);
  }

  u64(offset: number, littleEndian: boolean): bigint {
    const at = this.#seek(offset, 8);
    return this.#view.getBigUint64(at, littleEndian);
  }

  /** Group and element as one 32-bit number. */
  tag(offset: number, littleEndian: boolean): number {
    const at = this.#seek(offset, 4);
    const group = this.#view.getUint16(at, littleEndian);
    return ((group << 16) | this.#view.getUint16(at + 2, littleEndian)) >>> 0;
  }

  /** A view of the bytes, valid until the next call of this reader. */
  bytes(offset: number, length: number): Uint8Array {
    const at = this.#seek(offset, length);
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + at, length);
  }

  /** Latin-1 text, a superset of the ASCII of UIDs, codes and numbers. */
  latin1(offset: number, length: number): string {
    const at = this.#seek(offset, length);
    return latin1Text(new Uint8Array(this.#view.buffer, this.#view.byteOffset + at, length));
  }

  /** Position of `offset` in the window, which is loaded first if needed. */
  #seek(offset: number, length: number): number {
    if (offset < this.#start || offset + length > this.#end) this.#load(offset, length);
    return offset - this.#start;
  }

  #load(offset: number, length: number): void {
    const isSequential = this.#end === 0 || (offset <= this.#end && offset + length > this.#start);
    const bytes = this.#source.read(offset, Math.max(length, isSequential ? WINDOW_BYTES : PEEK_BYTES));
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#start = offset;
    this.#end = offset + bytes.length;
    if (bytes.length < length) {
      throw new Unreadable("instance.truncated", `${length} bytes at ${offset}, ${bytes.length} are there`);
    }
  }
}
