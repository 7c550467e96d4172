import { numberOf, textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { functionalGroups } from "../../../shared/pixels/pixel-module.ts";
import type { Point } from "../draw/placement.ts";
import type { SliceGeometry } from "./geometry.ts";
import type { Slice } from "./stacks.ts";
import { regionScale } from "./ultrasound-regions.ts";

/** Points are places in the picture: column and row. */
export interface Measure {
  kind: "length" | "angle" | "probe";
  sliceKey: string;
  points: Point[];
}

/** What a measure is of: its kind, on one slice. */
export type MeasureOf = Pick<Measure, "kind" | "sliceKey">;

/** Height and width of a pixel. */
export type PixelSize = NonNullable<SliceGeometry["spacing"]>;

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

/** How large the pixels at these places of a picture are. The regions of an ultrasound picture know it better than an attribute of all of it. */
export function scaleAt(
  { metadata, geometry }: Pick<Slice, "metadata" | "geometry">,
  points: readonly Point[],
): Pick<SliceGeometry, "spacing" | "isAtDetector"> {
  const region = regionScale(metadata, points);
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

/**
 * How the values of an RT Dose become a dose (PS3.3 §C.8.8.3): `value × scaling`, in gray or relative to a reference value. Undefined for
 * other images, and where one of the two is not declared.
 */
export function doseOf({
  metadata,
}: Pick<Slice, "metadata">): { scaling: number; isGray: boolean } | undefined {
  const scaling = numberOf(metadata[TagHex.DoseGridScaling]);
  const units = textOf(metadata[TagHex.DoseUnits]);
  if (textOf(metadata[TagHex.Modality]) !== "RTDOSE" || !scaling || scaling < 0) return undefined;
  return units === "GY" || units === "RELATIVE" ? { scaling, isGray: units === "GY" } : undefined;
}

/** Whether values are Hounsfield units: those of CT, unless the image declares others, such as effective atomic numbers (PS3.3 §C.11.1.1.2). */
export function isHounsfield({ metadata, frameIndex }: Pick<Slice, "metadata" | "frameIndex">): boolean {
  const transformed = functionalGroups(metadata, frameIndex)(TagHex.PixelValueTransformationSequence);
  const declared = textOf((transformed ?? metadata)[TagHex.RescaleType]) || "HU";
  return textOf(metadata[TagHex.Modality]) === "CT" && declared === "HU";
}
