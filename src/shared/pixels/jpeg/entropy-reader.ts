import type { HuffmanTable } from "./huffman-table.ts";

/** Reads bits of entropy-coded data. After the end of the data, or a marker, all bits are zero. */
export class EntropyReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #held = 0;
  #count = 0;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#at = offset;
  }

  /** The value of the next code. */
  decode(table: HuffmanTable): number {
    if (this.#count < 16) this.#fill();
    const entry = table[(this.#held >>> (this.#count - 16)) & 0xffff] ?? 0;
    // A code that is not in the table still consumes a bit, or a damaged stream would never end.
    this.#count -= entry >> 8 || 1;
    return entry & 0xff;
  }

  /** Reads a number of `length` bits (0 to 16), negative if the first bit is 0 (ITU-T T.81 §F.2.2.1). */
  receive(length: number): number {
    if (length === 0) return 0;
    if (this.#count < length) this.#fill();
    this.#count -= length;
    const value = (this.#held >>> this.#count) & ((1 << length) - 1);
    return value < 1 << (length - 1) ? value - (1 << length) + 1 : value;
  }

  /** Reads a number of `length` bits (0 to 16) that has no sign. */
  bits(length: number): number {
    if (this.#count < length) this.#fill();
    this.#count -= length;
    return (this.#held >>> this.#count) & ((1 << length) - 1);
  }

  bit(): number {
    return this.bits(1);
  }

  /** Continues after the next restart marker, if there is one. */
  restart(): void {
    this.#count = 0;
    this.#held = 0;
    for (let at = this.#at; at + 1 < this.#bytes.length; at++) {
      const marker = this.#bytes[at] === 0xff ? (this.#bytes[at + 1] ?? 0) : 0;
      if (marker >= 0xd0 && marker <= 0xd7) {
        this.#at = at + 2;
        return;
      }
      if (marker >= 0xc0 && marker !== 0xff) return;
    }
  }

  #fill(): void {
    while (this.#count <= 24) {
      this.#held = (this.#held << 8) | this.#nextByte();
      this.#count += 8;
    }
  }

  #nextByte(): number {
    const byte = this.#bytes[this.#at] ?? 0;
    if (byte === 0xff) {
      if (this.#bytes[this.#at + 1] !== 0) return 0;
      this.#at++;
    }
    this.#at++;
    return byte;
  }
}
