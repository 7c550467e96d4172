import { inflateSync } from "node:zlib";

/** Pixels of a picture, as a browser would draw it. */
export interface DrawnPicture {
  width: number;
  height: number;
  /** Red, green, blue. */
  at(x: number, y: number): [number, number, number];
  /** Difference between the brightest and the darkest sample. */
  contrast: number;
}

/** Decodes a WebP (or whatever Bun reads) by way of an uncompressed PNG. */
export async function drawnPicture(image: Uint8Array): Promise<DrawnPicture> {
  const { width, height } = await new Bun.Image(image).metadata();
  const png = Buffer.from(await new Bun.Image(image).png({ compressionLevel: 0 }).bytes());
  const { lines, channels } = readPng(png);
  const stride = width * channels;
  const rows: Uint8Array[] = [];
  for (let y = 0; y < height; y++) {
    const filter = lines[y * (stride + 1)] ?? 0;
    const line = lines.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1));
    rows.push(unfilter(filter, line, rows.at(-1) ?? new Uint8Array(stride), channels));
  }
  const colour = (x: number, y: number, c: number) =>
    rows[y]?.[x * channels + (channels < 3 ? 0 : c)] ?? Number.NaN;
  let [least, most] = [255, 0];
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) {
      // Alpha does not count as brightness.
      if (channels % 2 === 0 && i % channels === channels - 1) continue;
      least = Math.min(least, row[i] ?? 0);
      most = Math.max(most, row[i] ?? 0);
    }
  }
  return {
    width,
    height,
    at: (x, y) => [colour(x, y, 0), colour(x, y, 1), colour(x, y, 2)],
    contrast: most - least,
  };
}

function readPng(png: Buffer): { lines: Uint8Array; channels: number } {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const channels = { 0: 1, 2: 3, 4: 2, 6: 4 }[png[25] ?? 0] ?? 1;
  return { lines: inflateSync(Buffer.concat(data)), channels };
}

/** PNG §9.2 */
function unfilter(filter: number, line: Uint8Array, above: Uint8Array, channels: number): Uint8Array {
  // What Bun writes without compression has no other filter; the others are for pictures of any origin.
  if (filter === 0) return line;
  const row = new Uint8Array(line.length);
  for (let i = 0; i < line.length; i++) {
    const left = row[i - channels] ?? 0;
    const up = above[i] ?? 0;
    const corner = i < channels ? 0 : (above[i - channels] ?? 0);
    row[i] = (line[i] ?? 0) + predict(filter, left, up, corner);
  }
  return row;
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  return filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const dl = Math.abs(estimate - left);
  const du = Math.abs(estimate - up);
  const dc = Math.abs(estimate - corner);
  if (dl <= du && dl <= dc) return left;
  return du <= dc ? up : corner;
}
