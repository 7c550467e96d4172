/** A canvas of more pixels is empty in Safari. */
const MAX_CANVAS_PIXELS = 16 * 1024 * 1024;
/** Yellow, which no image of grey has. */
const COLOUR = [255, 214, 64] as const;
const DRAWN = 255;
/** The image stays visible below a region. */
const REGION = 90;

export interface Size {
  rows: number;
  columns: number;
}

/** Graphics that lie over an image. */
export interface Overlay extends Size {
  /** Of its first pixel in the image, from 0; it may begin before the image. */
  top: number;
  left: number;
  /** It marks a region of interest and is no drawing. */
  isRegion: boolean;
  /** The pixels that it sets: a bit each, the lowest of a byte first (PS3.5 §8.1.2). */
  bits: Uint8Array;
}

/** How many pixels of the image, in each direction, share one of the overlay's picture where `scale` pixels of the screen show one of the image: 0 where the screen has no height. */
export function overlayStep({ rows, columns }: Size, scale: number): number {
  const fits = Math.ceil(Math.sqrt((rows * columns) / MAX_CANVAS_PIXELS));
  return Math.max(1, fits, Math.min(Math.max(rows, columns), Math.floor(1 / scale)));
}

/**
 * Draws overlays as they lie over an image of that size. A pixel that any of those below it sets is set, so that thin lines stay.
 * @returns `[ceil(rows / step), ceil(columns / step), 4]`: red, green, blue and opacity
 */
export function overlayPicture(
  overlays: readonly Overlay[],
  image: Size,
  step: number,
): Uint8ClampedArray<ArrayBuffer> {
  const across = Math.ceil(image.columns / step);
  const rgba = new Uint8ClampedArray(across * Math.ceil(image.rows / step) * 4);
  for (const { rows, columns, top, left, isRegion, bits } of overlays) {
    const opacity = isRegion ? REGION : DRAWN;
    const [lastRow, lastColumn] = [Math.min(rows, image.rows - top), Math.min(columns, image.columns - left)];
    for (let row = Math.max(0, -top); row < lastRow; row++) {
      const [start, end] = [row * columns + Math.max(0, -left), row * columns + lastColumn];
      const line = Math.floor((row + top) / step) * across;
      for (let at = start; at < end; at++) {
        const byte = bits[at >>> 3] ?? 0;
        // Most bytes are empty.
        if (byte === 0) at |= 7;
        if (((byte >>> (at & 7)) & 1) === 0) continue;
        const to = (line + Math.floor((at - row * columns + left) / step)) * 4;
        if ((rgba[to + 3] ?? 0) >= opacity) continue;
        rgba.set(COLOUR, to);
        rgba[to + 3] = opacity;
      }
    }
  }
  return rgba;
}
