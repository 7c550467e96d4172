import type { Grain, SmoothNoise } from "./noise.ts";
import type { Raster, Shape } from "./raster.ts";
import type { Tissues } from "./tissue.ts";

/** One person's head: what differs between people, and the noise that shapes the folds. */
export interface Head {
  folds: SmoothNoise;
  fineFolds: SmoothNoise;
  warp: SmoothNoise;
  grain: Grain;
  /** 1 is young and tight; larger means wider ventricles and sulci. */
  age: number;
  /** Left-right unevenness in mm. */
  lean: number;
}

/** Where a pixel lies in the head, handed to the painters below. */
export interface HeadSection {
  raster: Raster;
  head: Head;
  tissues: Tissues;
  z: number;
  /** mm below the skin; negative outside. */
  skinDepth: Shape;
  /** mm below the inner table of the skull; negative outside. */
  brainDepth: Shape;
}
