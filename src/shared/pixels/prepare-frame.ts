import { fillFromPalette, fillWithColours } from "./colour-bytes.ts";
import type { DecodedFrame } from "./decoded-frame.ts";
import { NoPicture } from "./no-picture.ts";
import { assertDrawable } from "./pixel-bounds.ts";
import type { PixelModule } from "./pixel-module.ts";
import { storedValue } from "./stored-value.ts";

/** Grey values as places in a table, so that a window is one table and no arithmetic at each pixel. */
export interface GreyFrame {
  kind: "grey";
  rows: number;
  columns: number;
  /** `[rows, columns]`: the stored value of a pixel is `first + index * step`. */
  indexes: Uint8Array | Uint16Array;
  first: number;
  step: number;
  /** Number of indexes: 256 or 65,536. */
  levels: number;
  /** The lowest and highest index of pixels that are no padding. */
  lowest: number;
  highest: number;
  /** Whether pixels with a lower or higher index have no value at all: they are padding, or no number. Told of values that are spread. */
  hasGaps?: boolean;
}

/** `[rows, columns, 3]`: red, green and blue. */
export interface ColourFrame {
  kind: "colour";
  rows: number;
  columns: number;
  bytes: Uint8Array;
}

export type PreparedFrame = GreyFrame | ColourFrame;

const LEVELS = 65_536;

/** How many bytes a prepared frame takes, if its stream has the size that the instance declares. */
export function preparedBytes({ rows, columns, samplesPerPixel, ...pixels }: PixelModule): number {
  const isColour = samplesPerPixel >= 3 || pixels.photometricInterpretation === "PALETTE COLOR";
  return rows * columns * (isColour ? 3 : pixels.bitsStored <= 8 ? 1 : 2);
}

/**
 * Makes of a decoded frame what a renderer draws.
 * @param into memory that is taken if it has the right size; what it held is overwritten
 * @throws {NoPicture}
 */
export function prepareFrame(frame: DecodedFrame, pixels: PixelModule, into?: ArrayBuffer): PreparedFrame {
  assertDrawable(frame);
  const { rows, columns, samplesPerPixel, samples } = frame;
  if (samples.length < rows * columns * samplesPerPixel) throw new NoPicture("undecodable", "pixels missing");
  const memoryOf = (size: number) => (into?.byteLength === size ? into : new ArrayBuffer(size));
  if (samplesPerPixel >= 3) {
    const bytes = new Uint8Array(memoryOf(rows * columns * 3));
    fillWithColours(bytes, frame, pixels);
    return { kind: "colour", rows, columns, bytes };
  }
  if (pixels.photometricInterpretation === "PALETTE COLOR") {
    if (!pixels.palette) throw new NoPicture("undecodable", "a palette without its tables");
    const bytes = new Uint8Array(memoryOf(rows * columns * 3));
    fillFromPalette(bytes, frame, pixels, pixels.palette);
    return { kind: "colour", rows, columns, bytes };
  }
  const isWhole = !(samples instanceof Float32Array || samples instanceof Float64Array);
  if (!isWhole || pixels.bitsStored > 16)
    return spreadGrey(new Uint16Array(memoryOf(rows * columns * 2)), frame, pixels);
  const indexes =
    pixels.bitsStored <= 8
      ? new Uint8Array(memoryOf(rows * columns))
      : new Uint16Array(memoryOf(rows * columns * 2));
  return wholeGrey(indexes, frame, pixels);
}

function wholeGrey(indexes: Uint8Array | Uint16Array, frame: DecodedFrame, pixels: PixelModule): GreyFrame {
  const { rows, columns, samplesPerPixel, samples } = frame;
  const levels = pixels.bitsStored <= 8 ? 256 : LEVELS;
  const first = pixels.isSigned ? -levels / 2 : 0;
  const count = rows * columns;
  const stored = storedValue(frame, pixels);
  const extent = new Extent(pixels);
  for (let i = 0; i < count; i++) {
    const value = stored(samples[i * samplesPerPixel] ?? 0);
    extent.add(value);
    indexes[i] = value - first;
  }
  const { lowest, highest } = extent;
  return {
    kind: "grey",
    rows,
    columns,
    indexes,
    first,
    step: 1,
    levels,
    lowest: lowest - first,
    highest: highest - first,
  };
}

/**
 * Values of more than 16 bits, or with fractions, are spread over the indexes from the lowest to the highest. If some pixels have none,
 * the first index is theirs, and the last one that of those above all values.
 */
function spreadGrey(indexes: Uint16Array, frame: DecodedFrame, pixels: PixelModule): GreyFrame {
  const { rows, columns, samplesPerPixel, samples } = frame;
  const stored = storedValue(frame, pixels);
  const count = rows * columns;
  const extent = new Extent(pixels);
  for (let i = 0; i < count; i++) extent.add(stored(samples[i * samplesPerPixel] ?? 0));
  const { lowest, highest, hasGaps } = extent;
  const margin = hasGaps ? 1 : 0;
  const step = highest > lowest ? (highest - lowest) / (LEVELS - 1 - 2 * margin) : 1;
  for (let i = 0; i < count; i++) {
    const value = stored(samples[i * samplesPerPixel] ?? 0);
    indexes[i] = extent.isValue(value)
      ? Math.round((value - lowest) / step) + margin
      : value > highest
        ? LEVELS - 1
        : 0;
  }
  const top = highest > lowest ? LEVELS - 1 - margin : margin;
  const shape = { rows, columns, indexes, first: margin ? lowest - step : lowest, step, levels: LEVELS };
  return { kind: "grey", ...shape, lowest: margin, highest: top, hasGaps };
}

/** The lowest and highest value that is finite and no padding; 0 if there is none. */
class Extent {
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;
  /** Whether a value was padding or not finite. */
  hasGaps = false;
  readonly #padding: { from: number; to: number };

  constructor({ padding }: Pick<PixelModule, "padding">) {
    this.#padding = padding ?? { from: Number.NaN, to: Number.NaN };
  }

  add(value: number): void {
    if (!this.isValue(value)) {
      this.hasGaps = true;
      return;
    }
    if (value < this.#lowest) this.#lowest = value;
    if (value > this.#highest) this.#highest = value;
  }

  isValue(value: number): boolean {
    return Number.isFinite(value) && !(value >= this.#padding.from && value <= this.#padding.to);
  }

  get lowest(): number {
    return this.#highest >= this.#lowest ? this.#lowest : 0;
  }

  get highest(): number {
    return this.#highest >= this.#lowest ? this.#highest : 0;
  }
}
