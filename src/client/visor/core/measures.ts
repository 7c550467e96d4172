import type { Point } from "../draw/placement.ts";
import type { SliceGeometry } from "./geometry.ts";
import type { Slice } from "./stacks.ts";
import { type Ellipse, regionScale } from "./ultrasound-regions.ts";

/** Points are places in the picture: column and row. */
export interface Measure {
  kind: "length" | "angle" | "probe" | "region";
  sliceKey: string;
  /** Of a region: two opposite corners of the box around its ellipse. */
  points: Point[];
}

/** What a measure is of: its kind, on one slice. */
export type MeasureOf = Pick<Measure, "kind" | "sliceKey">;

/** Height and width of a pixel. */
export type PixelSize = NonNullable<SliceGeometry["spacing"]>;

/** What one visor keeps of the person's drawing. */
export const MAX_MEASURES = 200;

const POINTS_OF = { length: 2, angle: 3, probe: 1, region: 2 } as const satisfies Record<
  Measure["kind"],
  number
>;

/** Adds a point to the measure that lacks one, else begins another. */
export function withPoint(measures: readonly Measure[], of: MeasureOf, point: Point): Measure[] {
  const open = openOne(measures, of);
  return withMeasure(measures, { ...of, points: [...(open?.points ?? []), point] });
}

/** Draws a line from one point to another: a length, a side of an angle, or from corner to corner of a region. A value is read at its end. */
export function withStroke(
  measures: readonly Measure[],
  of: MeasureOf,
  { from, to }: { from: Point; to: Point },
): Measure[] {
  if (of.kind === "probe") return withMeasure(measures, { ...of, points: [to] });
  const sides = openOne(measures, of)?.points ?? [];
  return withMeasure(measures, { ...of, points: sides.length === 2 ? [...sides, to] : [from, to] });
}

/** Takes away the measure of a slice that was made last. */
export function withoutLast(measures: readonly Measure[], sliceKey: string): Measure[] {
  const at = measures.findLastIndex((measure) => measure.sliceKey === sliceKey);
  return at < 0 ? [...measures] : measures.toSpliced(at, 1);
}

/** Takes away the last point of a slice's measure that lacks some, else the measure that was made last. */
export function withoutPoint(measures: readonly Measure[], sliceKey: string): Measure[] {
  const at = measures.findLastIndex((measure) => measure.sliceKey === sliceKey);
  const last = measures[at];
  if (!last || isWhole(last) || last.points.length === 1) return withoutLast(measures, sliceKey);
  return measures.with(at, { ...last, points: last.points.slice(0, -1) });
}

/** Whether no other measure can be begun. */
export function isFull(measures: readonly Measure[]): boolean {
  return measures.filter(isWhole).length >= MAX_MEASURES;
}

/** Whether it has all its points. */
export function isWhole({ kind, points }: Measure): boolean {
  return points.length === POINTS_OF[kind];
}

function openOne(measures: readonly Measure[], { kind, sliceKey }: MeasureOf): Measure | undefined {
  return measures.find(
    (measure) => !isWhole(measure) && measure.kind === kind && measure.sliceKey === sliceKey,
  );
}

/** The new measure takes the place of any that lacks points. Where no more can be kept, all stay as they are. */
function withMeasure(measures: readonly Measure[], measure: Measure): Measure[] {
  return isFull(measures) ? [...measures] : [...measures.filter(isWhole), measure];
}

/**
 * How large the pixels at these places of a picture are, and in all of an ellipse if there is one. The regions of an ultrasound picture
 * know it better than an attribute of all of it.
 */
export function scaleAt(
  { metadata, geometry }: Pick<Slice, "metadata" | "geometry">,
  points: readonly Point[],
  ellipse?: Ellipse,
): Pick<SliceGeometry, "spacing" | "isAtDetector"> {
  const region = regionScale(metadata, points, ellipse);
  return region ? { ...region, isAtDetector: false } : geometry;
}

/** The way from one of two places to the other, in the unit of the pixel's height and width. */
export function lengthBetween([from, to]: readonly Point[], { rows, columns }: PixelSize): number {
  if (!from || !to) return 0;
  return Math.hypot((to.x - from.x) * columns, (to.y - from.y) * rows);
}

/**
 * Degrees at the middle one of three places.
 * @param pixel its height and width, in any unit
 */
export function angleDegrees(
  [one, middle, other]: readonly Point[],
  { rows, columns }: PixelSize,
): number | undefined {
  if (!one || !middle || !other) return undefined;
  const direction = (point: Point) => Math.atan2((point.y - middle.y) * rows, (point.x - middle.x) * columns);
  const turn = Math.abs(direction(one) - direction(other)) * (180 / Math.PI);
  return turn > 180 ? 360 - turn : turn;
}
