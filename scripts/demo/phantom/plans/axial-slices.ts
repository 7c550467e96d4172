import type { Raster } from "../../../../src/shared/phantom/raster.ts";
import { MAX_THICKNESS_MM, type SliceStack } from "../../../../src/shared/phantom/slice-stack.ts";
import type { Attributes } from "../keywords.ts";

/** The image plane of an axial slice (PS3.3 §C.7.6.2). */
export function axialGeometry(raster: Raster, z: number, stack: SliceStack): Attributes {
  const step = Number(stack.step.toFixed(3));
  return {
    ImagePositionPatient: [raster.origin[0], raster.origin[1], z],
    ImageOrientationPatient: [1, 0, 0, 0, 1, 0],
    PixelSpacing: [raster.spacing[1], raster.spacing[0]],
    SliceThickness: Math.min(MAX_THICKNESS_MM, step),
    SpacingBetweenSlices: step,
    SliceLocation: z,
  };
}
