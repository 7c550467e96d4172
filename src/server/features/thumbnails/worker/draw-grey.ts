import type { DecodedFrame } from "../../../../shared/pixels/decoded-frame.ts";
import { modalityValue, shadeOf, type Voi } from "../../../../shared/pixels/grey-table.ts";
import type { PixelModule } from "../../../../shared/pixels/pixel-module.ts";
import { storedValue } from "../../../../shared/pixels/stored-value.ts";
import { type Raster, shrink } from "./shrink.ts";

/** Shares of the pixels that may be clipped to black and to white when the instance has no window. */
const DARKEST_SHARE = 0.01;
const BRIGHTEST_SHARE = 0.99;
/** With fewer grey levels than this, the instance's window shows almost nothing and is ignored. */
const MIN_CONTRAST = 32;

/**
 * Draws a frame of one sample a pixel as grey levels 0 to 255 (PS3.4 §N.2: modality LUT, VOI LUT, inversion).
 * @param isWindowed whether the window was asked for, so that it is used even if it shows nothing
 */
export function drawGrey(
  frame: DecodedFrame,
  pixels: PixelModule,
  longestSide: number,
  isWindowed = false,
): Raster {
  const stored = storedValue(frame, pixels);
  const { voiTable, window, isInverted } = pixels;
  const raster = shrink(
    {
      rows: frame.rows,
      columns: frame.columns,
      channels: 1,
      read: (index, into) => {
        into[0] = modalityValue(pixels, stored(frame.samples[index * frame.samplesPerPixel] ?? 0));
      },
    },
    longestSide,
  );
  for (const [i, value] of raster.values.entries()) if (!Number.isFinite(value)) raster.values[i] = 0;
  const shown =
    isWindowed && window
      ? throughVoi(raster.values, { kind: "window", window })
      : (shownBy({ voiTable, window }, raster.values) ?? byPercentiles(raster.values));
  return { ...raster, values: isInverted ? shown.map((level) => 255 - level) : shown };
}

/** Applies the instance's window or VOI LUT, the first that shows something; undefined if none does. */
function shownBy(
  { voiTable, window }: Pick<PixelModule, "voiTable" | "window">,
  values: Float32Array,
): Float32Array | undefined {
  const proposed: (Voi | undefined)[] = [
    window && { kind: "window", window },
    voiTable && { kind: "table", table: voiTable },
  ];
  for (const voi of proposed) {
    const shown = voi && throughVoi(values, voi);
    if (shown && maximum(shown) - minimum(shown) >= MIN_CONTRAST) return shown;
  }
  return undefined;
}

function throughVoi(values: Float32Array, voi: Voi): Float32Array {
  const shade = shadeOf(voi);
  return values.map((value) => level(shade(value)));
}

function byPercentiles(values: Float32Array): Float32Array {
  const sorted = values.toSorted();
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const isSpread = at(BRIGHTEST_SHARE) > at(DARKEST_SHARE);
  const [dark, bright] = isSpread
    ? [at(DARKEST_SHARE), at(BRIGHTEST_SHARE)]
    : [at(0), Math.max(at(1), at(0) + Number.EPSILON)];
  return values.map((value) => level((value - dark) / (bright - dark)));
}

function level(share: number): number {
  return Math.min(255, Math.max(0, share * 255));
}

function minimum(values: Float32Array): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

function maximum(values: Float32Array): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}
