import { clamp } from "../../../src/shared/phantom/noise.ts";
import { forEachPixel, type Raster, type Shape } from "../../../src/shared/phantom/raster.ts";

export type Point = readonly [x: number, y: number];

/** A bent pipe seen from the side: outer radius and thickness of its dense wall in mm (0: solid). */
export interface Tube {
  radius: number;
  wall?: number;
  density: number;
}

/** A raster of the same size and place with nothing in it, in which tubes are laid one by one. */
export function emptyLike(raster: Raster): Raster {
  return { ...raster, values: new Float32Array(raster.values.length) };
}

/** Lays a tube with a dense wall into an empty raster; overlapping pieces of one tube do not add up. */
export function paintTube(
  scratch: Raster,
  path: readonly Point[],
  { radius, wall = 0, density }: Tube,
): Shape["bounds"] {
  let box: Shape["bounds"] = [Infinity, Infinity, -Infinity, -Infinity];
  path.slice(1).forEach((to, i) => {
    const from = path[i] ?? to;
    const dx = to[0] - from[0];
    const dy = to[1] - from[1];
    const lengthSquared = dx * dx + dy * dy || 1;
    const bounds: Shape["bounds"] = [
      Math.min(from[0], to[0]) - radius,
      Math.min(from[1], to[1]) - radius,
      Math.max(from[0], to[0]) + radius,
      Math.max(from[1], to[1]) + radius,
    ];
    box = [
      Math.min(box[0], bounds[0]),
      Math.min(box[1], bounds[1]),
      Math.max(box[2], bounds[2]),
      Math.max(box[3], bounds[3]),
    ];
    forEachPixel(scratch, bounds, 0, (index, x, y) => {
      const along = clamp(((x - from[0]) * dx + (y - from[1]) * dy) / lengthSquared, 0, 1);
      const square = (x - from[0] - along * dx) ** 2 + (y - from[1] - along * dy) ** 2;
      const outer = Math.sqrt(Math.max(0, radius * radius - square));
      const inner = wall > 0 ? Math.sqrt(Math.max(0, (radius - wall) ** 2 - square)) : 0;
      const met = (outer - 0.72 * inner) * density;
      if (met > (scratch.values[index] ?? 0)) scratch.values[index] = met;
    });
  });
  return box;
}

/** Adds what lies in the scratch raster's box to the picture and empties it. */
export function flush(scratch: Raster, bounds: Shape["bounds"], into: Raster): void {
  forEachPixel(scratch, bounds, into.spacing[0], (index) => {
    into.values[index] = (into.values[index] ?? 0) + (scratch.values[index] ?? 0);
    scratch.values[index] = 0;
  });
}
