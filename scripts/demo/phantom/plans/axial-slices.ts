import type { Attributes } from "../keywords.ts";
import type { Raster } from "../raster.ts";

const THICKNESS_MAX_MM = 5;

/** A stack of parallel slices from the feet's side to the head's. */
export interface SliceStack {
  /** Heights in mm, evenly spaced. */
  heights: readonly number[];
  /** From one slice to the next, in mm. */
  step: number;
}

/** `count` slices between two heights in mm; a single one lies at `singleZ`. */
export function stackSlices(count: number, from: number, to: number, singleZ: number): SliceStack {
  if (count <= 1) return { heights: [singleZ], step: THICKNESS_MAX_MM };
  const step = (to - from) / (count - 1);
  const heights = Array.from({ length: count }, (_, i) => Number((from + i * step).toFixed(3)));
  return { heights, step };
}

/** The image plane of an axial slice (PS3.3 §C.7.6.2). */
export function axialGeometry(raster: Raster, z: number, stack: SliceStack): Attributes {
  const step = Number(stack.step.toFixed(3));
  return {
    ImagePositionPatient: [raster.origin[0], raster.origin[1], z],
    ImageOrientationPatient: [1, 0, 0, 0, 1, 0],
    PixelSpacing: [raster.spacing[1], raster.spacing[0]],
    SliceThickness: Math.min(THICKNESS_MAX_MM, step),
    SpacingBetweenSlices: step,
    SliceLocation: z,
  };
}
