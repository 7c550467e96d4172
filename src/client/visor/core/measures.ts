import { textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { functionalGroups } from "../../../shared/pixels/pixel-module.ts";
import type { Point } from "../draw/placement.ts";
import type { SliceGeometry } from "./geometry.ts";
import type { Slice } from "./stacks.ts";

/** Points are places in the picture: column and row. */
export interface Measure {
  kind: "length" | "angle" | "probe";
  sliceKey: string;
  points: Point[];
}

/** What a measure is of: its kind, on one slice. */
export type MeasureOf = Pick<Measure, "kind" | "sliceKey">;

const MAX_MEASURES = 200;

const POINTS_OF = { length: 2, angle: 3, probe: 1 } as const satisfies Record<Measure["kind"], number>;

/** Adds a point to the measure that lacks one, else begins another. */
export function withPoint(measures: readonly Measure[], of: MeasureOf, point: Point): Measure[] {
  const open = openOne(measures, of);
  return withMeasure(measures, { ...of, points: [...(open?.points ?? []), point] });
}

/** Draws a line from one point to another: a length, or a side of an angle. A value is read at its end. */
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

/** Whether it has all its points. */
export function isWhole({ kind, points }: Measure): boolean {
  return points.length === POINTS_OF[kind];
}

function openOne(measures: readonly Measure[], { kind, sliceKey }: MeasureOf): Measure | undefined {
  return measures.find(
    (measure) => !isWhole(measure) && measure.kind === kind && measure.sliceKey === sliceKey,
  );
}

/** The new measure takes the place of any that lacks points. */
function withMeasure(measures: readonly Measure[], measure: Measure): Measure[] {
  return [...measures.filter(isWhole).slice(1 - MAX_MEASURES), measure];
}

/** Millimetres between two places; undefined if the image has no spacing. */
export function lengthMm(
  [from, to]: readonly Point[],
  spacing: SliceGeometry["spacing"],
): number | undefined {
  if (!from || !to || !spacing) return undefined;
  return Math.hypot((to.x - from.x) * spacing.columns, (to.y - from.y) * spacing.rows);
}

/**
 * Degrees at the middle one of three places.
 * @param pixel its height and width, in any unit
 */
export function angleDegrees(
  [one, middle, other]: readonly Point[],
  { rows, columns }: { rows: number; columns: number },
): number | undefined {
  if (!one || !middle || !other) return undefined;
  const direction = (point: Point) => Math.atan2((point.y - middle.y) * rows, (point.x - middle.x) * columns);
  const turn = Math.abs(direction(one) - direction(other)) * (180 / Math.PI);
  return turn > 180 ? 360 - turn : turn;
}

/** Whether values are Hounsfield units: those of CT, unless the image declares others, such as effective atomic numbers (PS3.3 §C.11.1.1.2). */
export function isHounsfield({ metadata, frameIndex }: Pick<Slice, "metadata" | "frameIndex">): boolean {
  const transformed = functionalGroups(metadata, frameIndex)(TagHex.PixelValueTransformationSequence);
  const declared = textOf((transformed ?? metadata)[TagHex.RescaleType]) || "HU";
  return textOf(metadata[TagHex.Modality]) === "CT" && declared === "HU";
}
