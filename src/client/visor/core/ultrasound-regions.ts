import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { numberOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { Point } from "../draw/placement.ts";
import type { SliceGeometry } from "./geometry.ts";

type Spacing = NonNullable<SliceGeometry["spacing"]>;

/** A part of an ultrasound picture with axes of its own (PS3.3 §C.8.5.5). */
interface Region {
  /** In the picture's columns and rows; the last ones belong to it. */
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** Its pixels may have been overwritten by those of another region (bit 0 of Region Flags). */
  isLow: boolean;
  /** Whether its axes have units at all. */
  hasUnits: boolean;
  /** Undefined where an axis is not one of length, such as the time of an M-mode, or says nothing. */
  spacing: Spacing | undefined;
}

/** An ellipse along the picture's columns and rows: its middle, and half of its width and height. */
export interface Ellipse extends Point {
  across: number;
  down: number;
}

/** More regions than any picture has. */
const MAX_REGIONS = 64;
const TWO_DIMENSIONS = 1;
const CENTIMETRES = 3;
const MM_PER_CM = 10;
/** Some devices name the first column or row that no longer belongs to a region. */
const OVERSHOOT = 1;
/** How far into its last pixel a region reaches. */
const INSIDE = 1 - 1e-6;
/** Two scales that differ less are one. */
const SAME = 1e-3;

/**
 * The scale at places of an ultrasound picture. A region says nothing beyond itself, and what lies in two of them is measured only if
 * both say the same.
 * @param ellipse measured as a whole: regions that none of the points is in may reach into it
 * @returns undefined if no region of the picture has axes with units; `spacing` is undefined if these places have no scale
 */
export function regionScale(
  metadata: DicomJson,
  points: readonly Point[],
  ellipse?: Ellipse,
): { spacing: Spacing | undefined } | undefined {
  const items = metadata[TagHex.SequenceOfUltrasoundRegions]?.Value ?? [];
  if (items.length === 0) return undefined;
  if (items.length > MAX_REGIONS) return { spacing: undefined };
  const regions = items.flatMap((item) => regionOf(item as DicomJson | null) ?? []);
  if (regions.length === items.length && !regions.some(({ hasUnits }) => hasUnits)) return undefined;
  // The picture was cut or made smaller after its regions were written, which need not tell its scale any more.
  const [rows, columns] = [TagHex.Rows, TagHex.Columns].map((tag) => numberOf(metadata[tag]) ?? 0);
  const reach = (region: Region) =>
    region.right >= (columns ?? 0) + OVERSHOOT || region.bottom >= (rows ?? 0) + OVERSHOOT;
  if (regions.length < items.length || regions.some(reach)) return { spacing: undefined };
  const reached = regions.flatMap((region) => (ellipse && placeWithin(region, ellipse)) ?? []);
  const seen = [...points, ...reached].flatMap((point) => seenAt(regions, point));
  const measured = regions.find(
    (region) => points.every(liesIn(region)) && seen.every(({ spacing }) => isSame(spacing, region.spacing)),
  );
  return { spacing: measured?.spacing };
}

/** The regions that a person sees at the point. A region of high priority overwrites the others (PS3.3 §C.8.5.5.1.3). */
function seenAt(regions: readonly Region[], point: Point): Region[] {
  const all = regions.filter((region) => liesIn(region)(point));
  const high = all.filter(({ isLow }) => !isLow);
  return high.length > 0 ? high : all;
}

function liesIn({ left, top, right, bottom }: Region): (point: Point) => boolean {
  return ({ x, y }) => x >= left && x < right + 1 && y >= top && y < bottom + 1;
}

/** The place of a region that is deepest in an ellipse; undefined if they do not touch. */
function placeWithin(
  { left, top, right, bottom }: Region,
  { x, y, across, down }: Ellipse,
): Point | undefined {
  const place = {
    x: Math.max(left, Math.min(x, right + INSIDE)),
    y: Math.max(top, Math.min(y, bottom + INSIDE)),
  };
  return Math.hypot((place.x - x) / across, (place.y - y) / down) < 1 ? place : undefined;
}

function isSame(one: Spacing | undefined, other: Spacing | undefined): boolean {
  if (!one || !other) return false;
  const isNear = (a: number, b: number) => Math.abs(a - b) <= SAME * b;
  return isNear(one.rows, other.rows) && isNear(one.columns, other.columns);
}

/** Undefined for one that lies nowhere. */
function regionOf(item: DicomJson | null): Region | undefined {
  const number = (tag: string) => numberOf(item?.[tag]);
  const left = number(TagHex.RegionLocationMinX0);
  const top = number(TagHex.RegionLocationMinY0);
  const right = number(TagHex.RegionLocationMaxX1);
  const bottom = number(TagHex.RegionLocationMaxY1);
  if (left === undefined || top === undefined || right === undefined || bottom === undefined)
    return undefined;
  const units = [number(TagHex.PhysicalUnitsXDirection), number(TagHex.PhysicalUnitsYDirection)];
  const isLength =
    number(TagHex.RegionSpatialFormat) === TWO_DIMENSIONS && units.every((unit) => unit === CENTIMETRES);
  return {
    left,
    top,
    right,
    bottom,
    isLow: (number(TagHex.RegionFlags) ?? 0) % 2 === 1,
    hasUnits: units.some((unit) => unit !== undefined && unit !== 0),
    spacing: isLength ? spacingOf(number(TagHex.PhysicalDeltaY), number(TagHex.PhysicalDeltaX)) : undefined,
  };
}

/** A delta is negative where the axis grows to the left or upwards. */
function spacingOf(rowsCm = 0, columnsCm = 0): Spacing | undefined {
  const [rows, columns] = [Math.abs(rowsCm) * MM_PER_CM, Math.abs(columnsCm) * MM_PER_CM];
  return isSize(rows) && isSize(columns) ? { rows, columns } : undefined;
}

/** No pixel is larger than a metre or smaller than a nanometre. */
function isSize(mm: number): boolean {
  return mm > 1e-6 && mm < 1000;
}
