import { clamp } from "./noise.ts";
import type { Raster } from "./raster.ts";

/** Rescale Intercept of the CT phantoms; the slope is 1. */
export const CT_INTERCEPT = -1024;

const STORED_MAX = 4095;

/** Hounsfield units to stored values in signed words. */
export function toStoredCt(raster: Raster): Int16Array {
  return Int16Array.from(raster.values, (hu) => clamp(Math.round(hu - CT_INTERCEPT), 0, STORED_MAX));
}
