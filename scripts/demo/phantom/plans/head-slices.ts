import { HEAD_RANGE } from "../head.ts";
import type { Attributes } from "../keywords.ts";
import type { Raster } from "../raster.ts";

export const HEAD_FIELD_MM = 220;
const FIRST_Z = HEAD_RANGE.bottom + 6;
const LAST_Z = HEAD_RANGE.top - 4;
const SINGLE_Z = 22;
const THICKNESS_MAX_MM = 5;

/** Heights of `count` evenly spaced slices from the base to the crown, in mm. */
export function sliceHeights(count: number): number[] {
  if (count <= 1) return [SINGLE_Z];
  const step = sliceStep(count);
  return Array.from({ length: count }, (_, i) => Number((FIRST_Z + i * step).toFixed(3)));
}

function sliceStep(count: number): number {
  return count <= 1 ? THICKNESS_MAX_MM : (LAST_Z - FIRST_Z) / (count - 1);
}

/** The image plane of an axial slice (PS3.3 §C.7.6.2). */
export function axialGeometry(raster: Raster, z: number, count: number): Attributes {
  const step = Number(sliceStep(count).toFixed(3));
  return {
    ImagePositionPatient: [raster.origin[0], raster.origin[1], z],
    ImageOrientationPatient: [1, 0, 0, 0, 1, 0],
    PixelSpacing: [raster.spacing[1], raster.spacing[0]],
    SliceThickness: Math.min(THICKNESS_MAX_MM, step),
    SpacingBetweenSlices: step,
    SliceLocation: z,
  };
}
