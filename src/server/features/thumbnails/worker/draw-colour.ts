import { transformToRgb } from "../../../../shared/pixels/colour-bytes.ts";
import type { DecodedFrame } from "../../../../shared/pixels/decoded-frame.ts";
import type { LookupTable, PixelModule } from "../../../../shared/pixels/pixel-module.ts";
import { storedValue } from "../../../../shared/pixels/stored-value.ts";
import { type Raster, shrink } from "./shrink.ts";

/** Draws a frame of three samples a pixel as red, green and blue from 0 to 255 (PS3.3 §C.7.6.3.1.2). */
export function drawColour(frame: DecodedFrame, pixels: PixelModule, longestSide: number): Raster {
  const { rows, columns, samples, samplesPerPixel } = frame;
  const scale = 255 / (2 ** Math.min(pixels.bitsStored, samples.BYTES_PER_ELEMENT * 8) - 1);
  const raster = shrink(
    {
      rows,
      columns,
      channels: 3,
      read: (index, into) => {
        const at = index * samplesPerPixel;
        for (let c = 0; c < 3; c++) into[c] = (samples[at + c] ?? 0) * scale;
      },
    },
    longestSide,
  );
  if (!frame.isRgb) transformToRgb(raster.values, pixels.photometricInterpretation);
  return raster;
}

/** Draws a frame whose samples are palette indexes as red, green and blue from 0 to 255 (PS3.3 §C.7.9). */
export function drawPalette(
  frame: DecodedFrame,
  pixels: PixelModule,
  palette: NonNullable<PixelModule["palette"]>,
  longestSide: number,
): Raster {
  const { rows, columns, samples } = frame;
  const stored = storedValue(frame, pixels);
  return shrink(
    {
      rows,
      columns,
      channels: 3,
      read: (index, into) => {
        for (const [c, table] of palette.entries()) into[c] = colourOf(table, stored(samples[index] ?? 0));
      },
    },
    longestSide,
  );
}

function colourOf({ first, bits, entries }: LookupTable, value: number): number {
  const place = Math.min(entries.length - 1, Math.max(0, value - first));
  return ((entries[place] ?? 0) * 255) / (2 ** bits - 1);
}
