/** An image of at most 256 colours. */
export interface IndexedImage {
  width: number;
  height: number;
  /** Three bytes for each colour. */
  palette: Uint8Array;
  /** A colour's number for each pixel, row by row. */
  indexes: Uint8Array;
}

const COLOURS = 256;
/** Colours take 8 bits each, so codes begin with 9. */
const CODE_BITS = 8;
const CLEAR = 1 << CODE_BITS;
const END = CLEAR + 1;
const MAX_CODES = 4_096;
const MAX_BLOCK_BYTES = 255;

/** Writes a GIF (89a) of one image. */
export function encodeGif({ width, height, palette, indexes }: IndexedImage): Uint8Array {
  const head = Buffer.alloc(13);
  head.write("GIF89a", "latin1");
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  // A global table of 256 colours, of 8 bits for each primary.
  head.writeUInt8(0xf7, 10);
  const table = Buffer.alloc(COLOURS * 3);
  table.set(palette.subarray(0, table.length));
  const descriptor = Buffer.alloc(11);
  descriptor.writeUInt8(0x2c, 0);
  descriptor.writeUInt16LE(width, 5);
  descriptor.writeUInt16LE(height, 7);
  descriptor.writeUInt8(CODE_BITS, 10);
  return Buffer.concat([head, table, descriptor, inBlocks(compress(indexes)), Buffer.from([0, 0x3b])]);
}

/** LZW with codes of growing length (GIF89a, appendix F). */
function compress(indexes: Uint8Array): Buffer {
  // No code of at most 12 bits stands for less than a pixel; clear codes are few.
  const bytes = Buffer.alloc(Math.ceil(indexes.length * 1.51) + 16);
  let length = 0;
  let bits = 0;
  let bitCount = 0;
  let codeBits = CODE_BITS + 1;
  let nextCode = END + 1;
  /** For a code and the pixel behind it, the code of both, with the number of the table that it is of. */
  const known = new Int32Array(MAX_CODES * COLOURS);
  let tableNumber = 1;

  function put(code: number): void {
    bits |= code << bitCount;
    for (bitCount += codeBits; bitCount >= 8; bitCount -= 8) {
      bytes[length++] = bits & 0xff;
      bits >>>= 8;
    }
  }

  put(CLEAR);
  let code = indexes[0] ?? 0;
  for (let i = 1; i < indexes.length; i++) {
    const pixel = indexes[i] ?? 0;
    const place = code * COLOURS + pixel;
    const found = known[place] ?? 0;
    if (Math.floor(found / MAX_CODES) === tableNumber) {
      code = found % MAX_CODES;
      continue;
    }
    put(code);
    code = pixel;
    if (nextCode < MAX_CODES) {
      // The reader learns a code one step later, and reads longer ones once it has the last short one.
      if (nextCode === 1 << codeBits) codeBits++;
      known[place] = tableNumber * MAX_CODES + nextCode++;
    } else {
      put(CLEAR);
      codeBits = CODE_BITS + 1;
      nextCode = END + 1;
      tableNumber++;
    }
  }
  put(code);
  if (nextCode === 1 << codeBits && codeBits < 12) codeBits++;
  put(END);
  if (bitCount > 0) bytes[length++] = bits & 0xff;
  return bytes.subarray(0, length);
}

function inBlocks(bytes: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MAX_BLOCK_BYTES) {
    const block = bytes.subarray(at, at + MAX_BLOCK_BYTES);
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat(blocks);
}
