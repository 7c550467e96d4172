import { encodeGif } from "./encode-gif.ts";
import type { Drawing } from "./picture-messages.ts";
import { readPng } from "./read-png.ts";
import type { Raster } from "./shrink.ts";

const BMP_HEADER_BYTES = 54;
const QUALITY = 72;

export interface Encoding {
  box: Drawing["box"];
  /** Height of a pixel by its width. */
  pixelAspect: number;
  drawing?: Pick<Drawing, "type" | "quality">;
}

/** A picture that fits into its box: as WebP, or as `drawing` says. */
export async function encodePicture(
  raster: Raster,
  { box, pixelAspect, drawing }: Encoding,
): Promise<Uint8Array> {
  const { rows, columns } = raster;
  const wide = columns * Math.max(1, 1 / pixelAspect);
  const high = rows * Math.max(1, pixelAspect);
  const fitting = Math.min(box.width / wide, box.height / high);
  const scale = box.enlarges ? fitting : Math.min(1, fitting);
  const size = [wide, high].map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
  const image = new Bun.Image(encodeBmp(raster)).resize(...size, { fit: "fill" });
  if (!drawing) return await image.webp({ quality: QUALITY }).bytes();
  const { type, quality } = drawing;
  if (type === "png") return await image.png().bytes();
  if (type === "gif") return await (raster.channels === 1 ? greyGif(image) : colourGif(image));
  return await (type === "webp" ? image.webp({ quality }) : image.jpeg({ quality })).bytes();
}

/** A colour for each level: Bun's own palette would not have all of them. */
const GREYS = Uint8Array.from({ length: 256 * 3 }, (_, at) => Math.floor(at / 3));

async function greyGif(image: Bun.Image): Promise<Uint8Array> {
  const { width, height, channels, values } = readPng(await image.png().bytes());
  const indexes = new Uint8Array(width * height);
  for (let at = 0; at < indexes.length; at++) indexes[at] = values[at * channels] ?? 0;
  return encodeGif({ width, height, palette: GREYS, indexes });
}

async function colourGif(image: Bun.Image): Promise<Uint8Array> {
  const { values, ...png } = readPng(await image.png({ palette: true, dither: true }).bytes());
  return encodeGif({ ...png, indexes: values });
}

/** Writes an uncompressed BMP, 24 bits a pixel, top row first: the simplest format that Bun reads. */
function encodeBmp({ rows, columns, channels, values }: Raster): Uint8Array {
  const stride = Math.ceil((columns * 3) / 4) * 4;
  const bmp = Buffer.alloc(BMP_HEADER_BYTES + stride * rows);
  bmp.write("BM", "latin1");
  bmp.writeUInt32LE(bmp.length, 2);
  bmp.writeUInt32LE(BMP_HEADER_BYTES, 10);
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(columns, 18);
  bmp.writeInt32LE(-rows, 22);
  bmp.writeUInt16LE(1, 26);
  bmp.writeUInt16LE(24, 28);
  bmp.writeUInt32LE(stride * rows, 34);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const from = (row * columns + column) * channels;
      const to = BMP_HEADER_BYTES + row * stride + column * 3;
      for (let c = 0; c < 3; c++) {
        const value = values[from + (channels === 1 ? 0 : 2 - c)] ?? 0;
        bmp[to + c] = Math.min(255, Math.max(0, Math.round(value)));
      }
    }
  }
  return bmp;
}
