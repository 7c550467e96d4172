import { inflateSync } from "node:zlib";

const SIGNATURE_BYTES = 8;
const PALETTE = 3;
const RGBA = 6;

/** The pixels of a PNG as Bun writes it. */
export interface PngPixels {
  width: number;
  height: number;
  /** 1: a pixel is the number of a colour of the palette; 4: red, green, blue and opacity. */
  channels: 1 | 4;
  /** Three bytes for each colour; empty without a palette. */
  palette: Uint8Array;
  /** Row by row, a byte for each channel. */
  values: Uint8Array;
}

/** Reads a PNG of 8 bits for each channel that is not interlaced. @throws {RangeError} for one of another kind */
export function readPng(bytes: Uint8Array): PngPixels {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks = chunksOf(png);
  const [header = Buffer.alloc(13)] = chunks.get("IHDR") ?? [];
  const [bitDepth, colourType, , , interlacing] = header.subarray(8);
  const isKnown = colourType === PALETTE || colourType === RGBA;
  if (bitDepth !== 8 || !isKnown || interlacing !== 0) throw new RangeError("a PNG of another kind");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = colourType === PALETTE ? 1 : 4;
  const rowBytes = width * channels;
  const rows = inflateSync(Buffer.concat(chunks.get("IDAT") ?? []), {
    maxOutputLength: (rowBytes + 1) * height,
  });
  const [palette = Buffer.alloc(0)] = chunks.get("PLTE") ?? [];
  return { width, height, channels, palette, values: unfilter(rows, { rowBytes, height, channels }) };
}

function chunksOf(png: Buffer): Map<string, Buffer[]> {
  const chunks = new Map<string, Buffer[]>();
  for (let at = SIGNATURE_BYTES; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString("latin1", at + 4, at + 8);
    const same = chunks.get(name) ?? [];
    same.push(png.subarray(at + 8, at + 8 + length));
    chunks.set(name, same);
    at += 12 + length;
  }
  return chunks;
}

/** Undoes the filter of each row, which its first byte names (PNG §9). */
function unfilter(
  rows: Buffer,
  { rowBytes, height, channels }: { rowBytes: number; height: number; channels: number },
): Uint8Array {
  const values = new Uint8Array(rowBytes * height);
  for (let row = 0; row < height; row++) {
    const filter = rows[row * (rowBytes + 1)] ?? 0;
    for (let column = 0; column < rowBytes; column++) {
      const at = row * rowBytes + column;
      const hasLeft = column >= channels;
      const left = hasLeft ? (values[at - channels] ?? 0) : 0;
      const above = row > 0 ? (values[at - rowBytes] ?? 0) : 0;
      const corner = hasLeft && row > 0 ? (values[at - rowBytes - channels] ?? 0) : 0;
      values[at] = (rows[at + row + 1] ?? 0) + predict(filter, left, above, corner);
    }
  }
  return values;
}

function predict(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4: {
      const guess = left + above - corner;
      const [toLeft, toAbove] = [Math.abs(guess - left), Math.abs(guess - above)];
      const toCorner = Math.abs(guess - corner);
      if (toLeft <= toAbove && toLeft <= toCorner) return left;
      return toAbove <= toCorner ? above : corner;
    }
    default:
      return 0;
  }
}
