import type { Point } from "../draw/placement.ts";
import type { SliceGeometry } from "./geometry.ts";

/** Points are places in the picture: column and row. */
export interface Measure {
  kind: "length" | "angle" | "probe";
  sliceKey: string;
  points: Point[];
}

export const POINTS_OF = { length: 2, angle: 3, probe: 1 } as const satisfies Record<Measure["kind"], number>;

/** Millimetres between two places; undefined if the image has no spacing. */
export function lengthMm(
  [from, to]: readonly Point[],
  spacing: SliceGeometry["spacing"],
): number | undefined {
  if (!from || !to || !spacing) return undefined;
  return Math.hypot((to.x - from.x) * spacing.columns, (to.y - from.y) * spacing.rows);
}

/** Degrees at the middle one of three places. */
export function angleDegrees(
  [one, middle, other]: readonly Point[],
  spacing: SliceGeometry["spacing"],
): number | undefined {
  if (!one || !middle || !other) return undefined;
  const { rows, columns } = spacing ?? { rows: 1, columns: 1 };
  const direction = (point: Point) => Math.atan2((point.y - middle.y) * rows, (point.x - middle.x) * columns);
  const turn = Math.abs(direction(one) - direction(other)) * (180 / Math.PI);
  return turn > 180 ? 360 - turn : turn;
}
