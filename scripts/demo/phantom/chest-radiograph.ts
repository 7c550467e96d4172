import { bell, clamp, createGrain, createSmoothNoise, mix, ramp } from "../../../src/shared/phantom/noise.ts";
import { createRandom, type Random, seedOf } from "../../../src/shared/phantom/random.ts";
import {
  accumulate,
  addGrain,
  createRaster,
  ellipse,
  type Raster,
  type Shape,
  soften,
  wholeOf,
} from "../../../src/shared/phantom/raster.ts";
import { paintChestBones } from "./chest-bones.ts";
import { emptyLike, flush, type Point, paintTube } from "./tube.ts";

/** Width and height of the cassette in mm. */
export const CASSETTE_MM = 400;

const AIR_LOSS = 0.72;

/**
 * A chest radiograph, seen from the front (the patient's left is on the right): for each pixel, how much
 * tissue a ray meets, in mm of water, with air subtracted and bone added.
 */
export function renderChestRadiograph(size: number, seed: number): Raster {
  const raster = createRaster({
    columns: size,
    rows: size,
    fieldOfView: [CASSETTE_MM, CASSETTE_MM],
    background: 0,
  });
  const random = createRandom(seedOf(seed, "chest"));
  const warp = createSmoothNoise(seedOf(seed, "chest warp"));
  const sway = (x: number, y: number): number => warp(x * 0.013, y * 0.013, 5) * 5;
  paintSoftTissue(raster, sway);
  paintVessels(raster, random);
  paintChestBones(raster);
  soften(raster);
  addGrain(raster, createGrain(seedOf(seed, "film grain"), size < 128 ? 5 : 8), 1.3, 0);
  return raster;
}

function paintSoftTissue(raster: Raster, sway: (x: number, y: number) => number): void {
  const heart = [ellipse(30, 46, 68, 50, 0.55), ellipse(-7, 38, 36, 54, 0.1)];
  const vessels = [ellipse(19, -52, 17, 20), ellipse(3, -40, 24, 80), ellipse(26, -22, 19, 17)];
  accumulate(raster, wholeOf(raster), (px, py) => {
    const shift = sway(px, py);
    const x = px + shift;
    const y = py + shift * 0.6;
    const body = bodyThickness(x, y);
    if (body <= 0) return 0;
    const cardiac = Math.max(...heart.map((shape) => domed(shape, x, y, 34))) * 118;
    const great = Math.max(...vessels.map((shape) => domed(shape, x, y, 14))) * 74;
    const lung = Math.max(lungThickness(-1, x, y), lungThickness(1, x, y));
    const air = Math.max(0, lung - Math.max(cardiac, great));
    const breast = 9 * Math.max(0, domed(ellipse(Math.sign(x) * 84, 92, 62, 48), x, y, 30));
    return body + breast - AIR_LOSS * air - airway(x, y) - stomachBubble(x, y);
  });
}

/** Thickness of the trunk, neck and shoulders from front to back. */
function bodyThickness(x: number, y: number): number {
  const side = Math.abs(x);
  const torso = 168 - 10 * bell(y - 60, 80) + ramp(90, 200, y) * 8;
  const shoulderTop = -176 + 0.0022 * Math.max(0, side - 58) ** 2 + Math.max(0, side - 58) * 0.14;
  const trunk = Math.sqrt(Math.max(0, 1 - (side / torso) ** 2)) * 205;
  const arms = 78 * ramp(212, 180, side) * ramp(30, -90, y);
  const neck = Math.sqrt(Math.max(0, 1 - (side / 60) ** 2)) * 120;
  const below = ramp(shoulderTop - 2, shoulderTop + 16, y);
  const thin = mix(0.5, 1, ramp(-170, -70, y));
  return Math.max(neck * (1 - below * 0.3), below * Math.max(trunk * thin, arms));
}

/** Air-filled depth of one lung; `side` is -1 for the patient's right, on the left of the picture. */
function lungThickness(side: number, x: number, y: number): number {
  const across = x * side;
  if (across < 4) return 0;
  const height = clamp((y + 158) / 250, 0, 1);
  const outer = 143 * Math.sqrt(1 - (1 - height) ** 2.6);
  const inner = 16 + 10 * bell(y + 120, 40) + (side > 0 ? 6 : 2);
  const dome = (side < 0 ? 84 : 96) - 30 * bell(across - 66, 46) + 22 * ramp(92, 138, across);
  const depth = Math.min(outer - across, across - inner, (y + 160) * 0.8, dome - y);
  if (depth <= 0) return 0;
  return 186 * Math.sqrt(1 - (1 - clamp(depth / 46, 0, 1)) ** 2) * (0.62 + 0.38 * height);
}

function airway(x: number, y: number): number {
  const trachea = domedWidth(x - 1, 9) * ramp(-190, -176, y) * ramp(-46, -56, y);
  const fork = [-1, 1]
    .map((side) => domedWidth((x * side - (y + 52) * 0.85) * 0.72, 6) * ramp(-54, -46, y) * ramp(-18, -28, y))
    .reduce((a, b) => Math.max(a, b));
  return 26 * trachea + 15 * fork;
}

function stomachBubble(x: number, y: number): number {
  return 62 * Math.max(0, domed(ellipse(74, 102, 30, 13, -0.15), x, y, 8));
}

function domed(shape: Shape, x: number, y: number, radius: number): number {
  const depth = shape.depth(x, y);
  return depth <= 0 ? 0 : Math.sqrt(1 - (1 - clamp(depth / radius, 0, 1)) ** 2);
}

function domedWidth(distance: number, radius: number): number {
  return Math.sqrt(Math.max(0, 1 - (distance / radius) ** 2));
}

/** Lung vessels: branches that leave the hilum, fork and thin out. */
function paintVessels(raster: Raster, random: Random): void {
  const scratch = emptyLike(raster);
  for (const side of [-1, 1]) {
    const hilum: Point = [side * 30, side < 0 ? -4 : -12];
    for (let branch = 0; branch < 11; branch++) {
      const heading = mix(-1.25, 1.45, (branch + random()) / 11);
      grow(hilum, heading, side, 4.6, 4);
    }
  }
  flush(scratch, wholeOf(scratch), raster);

  function grow(from: Point, heading: number, side: number, radius: number, forks: number): void {
    const length = (16 + random() * 16) * (0.6 + radius / 8);
    const to: Point = [from[0] + side * Math.cos(heading) * length, from[1] + Math.sin(heading) * length];
    if (lungThickness(side, to[0], to[1]) < 30) return;
    paintTube(scratch, [from, to], { radius, density: 3 });
    if (forks === 0) return;
    const spread = 0.22 + random() * 0.3;
    grow(to, heading + spread, side, radius * 0.74, forks - 1);
    grow(to, heading - spread * 0.8, side, radius * 0.8, forks - 1);
  }
}

/** Turns mm of water into a share of the film's range, dark for air and light for bone. */
export function toFilm(millimetres: number): number {
  return clamp((1 / (1 + Math.exp(-(millimetres - 128) / 42))) * 1.06 - 0.045, 0, 1);
}
