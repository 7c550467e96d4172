import { paintHead, paintHeadRest } from "./head.ts";
import type { Head } from "./head-section.ts";
import { HEAD_FIELD_MM } from "./head-slices.ts";
import { addGrain, createRaster, type Raster, soften } from "./raster.ts";
import { TISSUES } from "./tissue.ts";

/** One axial slice in Hounsfield units; the bone kernel is sharper and noisier. */
export function renderCtHeadSlice(
  head: Head,
  size: number,
  z: number,
  kernel: "brain" | "bone" = "brain",
): Raster {
  const raster = createRaster({
    columns: size,
    rows: size,
    fieldOfView: [HEAD_FIELD_MM, HEAD_FIELD_MM],
    background: TISSUES.ct.air,
  });
  paintHead(raster, head, TISSUES.ct, z);
  paintHeadRest(raster, TISSUES.ct.air);
  if (kernel === "brain") soften(raster);
  addGrain(raster, head.grain, kernel === "brain" ? 3 : 22, Math.round(z * 8));
  return raster;
}
