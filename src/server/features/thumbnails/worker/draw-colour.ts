import { transformToRgb } from "../../../../shared/pixels/colour-bytes.ts";
import type { DecodedFrame } from "../../../../shared/pixels/decoded-frame.ts";
import type { PixelModule } from "../../../../shared/pixels/pixel-module.ts";
import { colourReader, paletteLevel } from "../../../../shared/pixels/read-colour.ts";
import { storedValue } from "../../../../shared/pixels/stored-value.ts";
import { type Raster, shrink } from "./shrink.ts";

/** Draws a frame of three or four samples a pixel as red, green and blue from 0 to 255 (PS3.3 §C.7.6.3.1.2). */
export function drawColour(frame: DecodedFrame, pixels: PixelModule, longestSide: number): Raster {
  const { rows, columns } = frame;
  const raster = shrink({ rows, columns, channels: 3, read: colourReader(frame, pixels) }, longestSide);
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
        for (const [c, table] of palette.entries())
          into[c] = paletteLevel(table, stored(samples[index] ?? 0));
      },
    },
    longestSide,
  );
}
