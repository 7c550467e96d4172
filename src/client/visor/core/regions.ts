import type { GreyFrame, PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";
import type { Point } from "../draw/placement.ts";
import type { PixelSize } from "./measures.ts";
import type { Ellipse } from "./ultrasound-regions.ts";
import type { ValueScale } from "./value-scale.ts";

/** The values of a region: those of each pixel whose centre is inside, without padding, which is no part of the image (PS3.3 §C.7.5.1.1.2). */
export interface RegionValues {
  mean: number;
  /** Of all these pixels, not an estimate for others: the root of the mean square. */
  deviation: number;
  lowest: number;
  highest: number;
  /** The highest stored value. */
  highestStored: number;
}

/** @param corners two opposite ones of the box around it */
export function ellipseOf([from, to]: readonly Point[]): Ellipse | undefined {
  if (!from || !to) return undefined;
  return {
    x: (from.x + to.x) / 2,
    y: (from.y + to.y) / 2,
    across: Math.abs(to.x - from.x) / 2,
    down: Math.abs(to.y - from.y) / 2,
  };
}

/** In the square of the unit of the pixel's height and width. */
export function ellipseArea({ across, down }: Ellipse, { rows, columns }: PixelSize): number {
  return Math.PI * across * columns * down * rows;
}

/** Its middle and its outermost places: a rectangle that has them has all of it. */
export function placesOf({ x, y, across, down }: Ellipse): Point[] {
  return [
    { x, y },
    { x: x - across, y },
    { x: x + across, y },
    { x, y: y - down },
    { x, y: y + down },
  ];
}

/** Counts the values of a region, as many pixels at a time as the caller has time for. */
export class RegionCount {
  readonly #frame: GreyFrame;
  readonly #ellipse: Ellipse;
  readonly #counts: Uint32Array;
  #row: number;
  readonly #lastRow: number;

  constructor(frame: GreyFrame, ellipse: Ellipse) {
    const { y, across, down } = ellipse;
    this.#frame = frame;
    this.#ellipse = ellipse;
    this.#counts = new Uint32Array(frame.levels);
    const hasInside = across > 0 && down > 0;
    this.#row = Math.max(0, firstCentre(y - down));
    this.#lastRow = hasInside ? Math.min(frame.rows - 1, lastCentre(y + down)) : -1;
  }

  /** @returns whether all are counted */
  advance(atMostPixels: number): boolean {
    const { columns, indexes } = this.#frame;
    const { x, y, across, down } = this.#ellipse;
    const counts = this.#counts;
    for (let left = atMostPixels; this.#row <= this.#lastRow && left > 0; this.#row++) {
      const away = (this.#row + 0.5 - y) / down;
      const half = across * Math.sqrt(Math.max(0, 1 - away * away));
      const start = this.#row * columns;
      const first = start + Math.max(0, firstCentre(x - half));
      const last = start + Math.min(columns - 1, lastCentre(x + half));
      for (let at = first; at <= last; at++) {
        const index = indexes[at] ?? 0;
        counts[index] = (counts[index] ?? 0) + 1;
      }
      // A row without any takes its time too.
      left -= Math.max(0, last - first) + 1;
    }
    return this.#row > this.#lastRow;
  }

  /** Undefined if no pixel of the image has its centre inside. */
  values(scale: RegionScale): RegionValues | undefined {
    const { first, step, lowest: firstValue, highest: lastValue, hasGaps } = this.#frame;
    // Where values are spread, padding has indexes of its own, and what is near it may have its value.
    const isPadding = hasGaps === undefined ? scale.isPadding : () => false;
    const found: { value: number; count: number }[] = [];
    let highestStored = first;
    const counts = this.#counts;
    for (let index = firstValue; index <= lastValue; index++) {
      const count = counts[index] ?? 0;
      const stored = first + index * step;
      if (count === 0 || isPadding(stored)) continue;
      highestStored = stored;
      found.push({ value: scale.of(highestStored), count });
    }
    const [one] = found;
    if (!one) return undefined;
    let [lowest, highest, count, sum] = [one.value, one.value, 0, 0];
    for (const level of found) {
      lowest = Math.min(lowest, level.value);
      highest = Math.max(highest, level.value);
      count += level.count;
      // From one of them on, so that equal values have a deviation of 0.
      sum += (level.value - one.value) * level.count;
    }
    const mean = one.value + sum / count;
    const squares = found.reduce((total, level) => total + level.count * (level.value - mean) ** 2, 0);
    return { mean, deviation: Math.sqrt(squares / count), lowest, highest, highestStored };
  }
}

/** The index of the first pixel, in a row or a column, whose centre is at a place or after it. */
function firstCentre(place: number): number {
  return Math.ceil(place - 0.5);
}

function lastCentre(place: number): number {
  return Math.floor(place - 0.5);
}

type RegionScale = Pick<ValueScale, "of" | "isPadding">;

/** A region on one frame. Its corners are the same array as long as it is not drawn anew. */
export interface CountedRegion {
  frame: PreparedFrame;
  corners: readonly Point[];
  scale: RegionScale;
}

/** Pixels that are counted while a finger moves: those of a slice of CT. */
const AT_ONCE_PIXELS = 512 * 512;
/** Pixels between two looks at whether something else is to be done. */
const PART_PIXELS = 1024 * 1024;

type Known = RegionValues | "none";
const known = new WeakMap<PreparedFrame, WeakMap<readonly Point[], Known>>();

/**
 * The values that a region has: those that were counted before, or those of a small one.
 * @returns "uncounted" where {@link countValues} has to count them first; "none" for colours, and where no pixel is inside
 */
export function regionValues(region: CountedRegion): Known | "uncounted" {
  const { frame, corners, scale } = region;
  const found = known.get(frame)?.get(corners);
  if (found) return found;
  const ellipse = ellipseOf(corners);
  if (frame.kind === "colour" || !ellipse) return "none";
  // It may reach far beyond the picture, where nothing is counted.
  const pixels = Math.min(frame.columns, 2 * ellipse.across) * Math.min(frame.rows, 2 * ellipse.down);
  if (pixels > AT_ONCE_PIXELS) return "uncounted";
  const count = new RegionCount(frame, ellipse);
  count.advance(Number.POSITIVE_INFINITY);
  return keep(region, count.values(scale) ?? "none");
}

/** Counts the values of a region of any size in parts, between which the page does other work. */
export async function countValues(region: CountedRegion, signal: AbortSignal): Promise<void> {
  const { frame, corners, scale } = region;
  const ellipse = ellipseOf(corners);
  if (frame.kind === "colour" || !ellipse) return;
  const count = new RegionCount(frame, ellipse);
  while (!count.advance(PART_PIXELS)) {
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return;
  }
  keep(region, count.values(scale) ?? "none");
}

function keep({ frame, corners }: CountedRegion, values: Known): Known {
  const ofFrame = known.get(frame) ?? new WeakMap<readonly Point[], Known>();
  known.set(frame, ofFrame.set(corners, values));
  return values;
}
