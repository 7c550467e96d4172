import type { DecodedFrame } from "./decoded-frame.ts";
import type { LookupTable } from "./lookup-table.ts";
import type { PixelModule } from "./pixel-module.ts";
import { storedValue } from "./stored-value.ts";

/** Writes the colours of the pixel `index`, from 0 to 255. */
export type ReadColour = (index: number, into: Float32Array) => void;

/**
 * Reads the pixels of a frame with three or four samples each: as red, green and blue or, where the instance declares them, as luminance
 * and chrominance (PS3.3 §C.7.6.3.1.2). HSV, ARGB and CMYK are of the standard's editions until 2001.
 */
export function colourReader(frame: DecodedFrame, pixels: PixelModule): ReadColour {
  const { samples, samplesPerPixel, isRgb } = frame;
  const bits = Math.min(pixels.bitsStored, samples.BYTES_PER_ELEMENT * 8);
  const highBit = bits < pixels.bitsStored ? bits - 1 : pixels.highBit;
  // Colours have no sign, though some instances declare one.
  const stored = storedValue(frame, { ...pixels, bitsStored: bits, highBit, isSigned: false });
  const scale = 255 / (2 ** bits - 1);
  const level = (at: number) => stored(samples[at] ?? 0) * scale;
  const plain = (at: number, into: Float32Array) => {
    for (let c = 0; c < 3; c++) into[c] = level(at + c);
  };
  const { photometricInterpretation: named, palette } = pixels;
  if (isRgb && samplesPerPixel === 3) return (index, into) => plain(index * 3, into);
  if (named === "HSV") {
    return (index, into) => {
      const at = index * samplesPerPixel;
      const sixth = (stored(samples[at] ?? 0) * 6) / 2 ** bits;
      fillFromHsv(sixth, level(at + 1), level(at + 2), into);
    };
  }
  if (named === "CMYK" && samplesPerPixel === 4) {
    return (index, into) => {
      const black = level(index * 4 + 3);
      for (let c = 0; c < 3; c++) into[c] = Math.max(0, 255 - level(index * 4 + c) - black);
    };
  }
  if (named === "ARGB" && samplesPerPixel === 4) {
    return (index, into) => {
      const place = stored(samples[index * 4] ?? 0);
      // Where the first sample is not 0, the palette's colour of it covers the pixel's own.
      if (!palette || place === 0) plain(index * 4 + 1, into);
      else for (const [c, table] of palette.entries()) into[c] = paletteLevel(table, place);
    };
  }
  return (index, into) => plain(index * samplesPerPixel, into);
}

/** @param sixth the hue, from 0 to 6 around the circle: red, yellow, green and so on. The others are from 0 to 255. */
function fillFromHsv(sixth: number, saturation: number, value: number, into: Float32Array): void {
  for (let c = 0; c < 3; c++) {
    const place = (sixth + 5 - 2 * c) % 6;
    const away = Math.max(0, Math.min(place, 4 - place, 1));
    into[c] = value - (value * saturation * away) / 255;
  }
}

/** The level from 0 to 255 that a palette has for a stored value (PS3.3 §C.7.9). */
export function paletteLevel({ first, bits, entries }: LookupTable, value: number): number {
  const place = Math.min(entries.length - 1, Math.max(0, value - first));
  return ((entries[place] ?? 0) * 255) / (2 ** bits - 1);
}
