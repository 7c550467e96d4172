import { crc32, deflateSync } from "node:zlib";

/** Writes 8-bit samples as PNG: one a pixel is grey, three are RGB. */
export function encodePng(samples: Uint8Array, columns: number, rows: number): Uint8Array {
  const samplesPerPixel = samples.length / (columns * rows);
  if (samplesPerPixel !== 1 && samplesPerPixel !== 3) {
    throw new RangeError(`${samples.length} samples do not make ${columns} × ${rows} grey or RGB pixels`);
  }
  const stride = columns * samplesPerPixel;
  const lines = new Uint8Array(rows * (stride + 1));
  for (let row = 0; row < rows; row++) {
    lines.set(samples.subarray(row * stride, (row + 1) * stride), row * (stride + 1) + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(columns, 0);
  header.writeUInt32BE(rows, 4);
  header[8] = 8;
  header[9] = samplesPerPixel === 1 ? 0 : 2;
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(type: string, body: Uint8Array): Uint8Array {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const out = Buffer.alloc(typed.length + 8);
  out.writeUInt32BE(body.length, 0);
  out.set(typed, 4);
  out.writeUInt32BE(crc32(typed), typed.length + 4);
  return out;
}
