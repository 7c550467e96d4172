const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 as ZIP has it (APPNOTE §4.4.7), of bytes that come in pieces. On the server zlib computes it for contents. */
export class Crc32 {
  #sum = 0xffffffff;

  add(bytes: Uint8Array): void {
    let sum = this.#sum;
    for (const byte of bytes) sum = (TABLE[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
    this.#sum = sum;
  }

  get value(): number {
    return (this.#sum ^ 0xffffffff) >>> 0;
  }
}

/** The same, for the few bytes of a name. */
export function crc32(bytes: Uint8Array): number {
  const sum = new Crc32();
  sum.add(bytes);
  return sum.value;
}
