import { bell, clamp, createGrain, createSmoothNoise, ramp } from "../../../src/shared/phantom/noise.ts";
import { seedOf } from "../../../src/shared/phantom/random.ts";
import {
  createRaster,
  ellipse,
  forEachPixel,
  type Raster,
  wholeOf,
} from "../../../src/shared/phantom/raster.ts";

/** Width and height of the detector in mm. */
export const DETECTOR_MM = [180, 240] as const;

/**
 * A mammogram with the chest wall at the left edge, `[rows, columns]` in the ratio 4:3, values 0–1.
 * In the oblique view the chest muscle fills the upper corner.
 */
export function renderMammogram(rows: number, seed: number, view: "CC" | "MLO"): Raster {
  const columns = Math.round(rows * 0.75);
  const raster = createRaster({ columns, rows, fieldOfView: DETECTOR_MM, background: 0 });
  const small = rows < 128;
  const shapeNoise = createSmoothNoise(seedOf(seed, view, "breast"), small ? 4 : 5);
  const strands = createSmoothNoise(seedOf(seed, view, "strands"), small ? 4 : 5);
  const grain = createGrain(seedOf(seed, view, "grain"), small ? 5 : 8);
  const drop = view === "MLO" ? 18 : 0;
  const breast = ellipse(-92, drop, 136, 96);
  const gland = ellipse(-46, drop + 4, 76, 62);
  forEachPixel(raster, wholeOf(raster), 0, (index, x, y) => {
    const depth = breast.depth(x, y) + shapeNoise(x * 0.02, y * 0.02, 1) * 5;
    const skin = ramp(-0.4, 0.8, depth);
    const cloud =
      0.55 * shapeNoise(x * 0.05, y * 0.05, 7) +
      0.3 * shapeNoise(x * 0.11, y * 0.11, 9) +
      0.2 * strands(x * 0.24, y * 0.24, 3);
    const dense = clamp(0.48 + cloud, 0, 1) * ramp(-22, 24, gland.depth(x, y));
    const strand =
      bell(strands(x * 0.07, y * 0.13, 5), 0.06) + bell(strands(x * 0.15, y * 0.11, 8), 0.07) * 0.6;
    const compressed = 0.12 + 0.13 * ramp(0, 26, depth);
    const muscle = view === "MLO" ? 0.4 * ramp(-6, 8, -(x + 90) * 0.85 - (y - 20) * 0.36) : 0;
    const rim = 0.14 * bell(depth - 0.6, 1.1);
    const tissue = compressed + 0.42 * dense + 0.07 * strand * ramp(2, 16, depth) + muscle + rim;
    const noise = grain.at(index % columns, Math.floor(index / columns), 0) * 0.011;
    raster.values[index] = clamp(skin * (tissue + noise), 0, 1);
  });
  return raster;
}
