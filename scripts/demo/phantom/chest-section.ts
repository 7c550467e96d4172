import {
  bell,
  clamp,
  createGrain,
  createSmoothNoise,
  type Grain,
  mix,
  ramp,
  type SmoothNoise,
} from "../../../src/shared/phantom/noise.ts";
import { seedOf } from "../../../src/shared/phantom/random.ts";
import {
  ellipse,
  ellipsoidAt,
  forEachPixel,
  paint,
  type Raster,
  rimOf,
  rod,
  type Shape,
} from "../../../src/shared/phantom/raster.ts";
import { TISSUES } from "../../../src/shared/phantom/tissue.ts";
import { ribPath } from "./rib-path.ts";

/** Heights in mm between which the chest is modelled; 0 is the middle of the chest, as in the radiograph. */
export const CHEST_RANGE = { bottom: -110, top: 120 } as const;

const LUNG = -865;
const LIVER = 58;
const BLOOD = 43;
const RIB_RADIUS = 5.5;
const BACK_Y = 14;

/** One person's chest: the noise that shapes vessels, fat and marrow. */
export interface Chest {
  branches: SmoothNoise;
  twigs: SmoothNoise;
  grain: Grain;
}

export function createChest(seed: number, matrix = 512): Chest {
  const bits = matrix < 128 ? 4 : 5;
  return {
    branches: createSmoothNoise(seedOf(seed, "branches"), bits),
    twigs: createSmoothNoise(seedOf(seed, "twigs"), bits),
    grain: createGrain(seedOf(seed, "chest grain"), matrix < 128 ? 5 : 8),
  };
}

/** Paints the cut through the chest at height `z` (mm), in Hounsfield units, image x to the left, y to the back. */
export function paintChest(raster: Raster, chest: Chest, z: number): void {
  const cage = cageAt(z);
  paintTrunk(raster, chest, cage, z);
  paintMediastinum(raster, chest, cage, z);
  paintLungs(raster, chest, cage, z);
  paintAirways(raster, z);
  paintSkeleton(raster, chest, z);
}

/** The inner wall of the rib cage. */
function cageAt(z: number): Shape {
  const height = clamp((158 - z) / 250, 0.02, 1);
  const halfWidth = 143 * Math.sqrt(1 - (1 - height) ** 2.6);
  return ellipse(0, 0, halfWidth, 28 + halfWidth * 0.46);
}

function paintTrunk(raster: Raster, chest: Chest, cage: Shape, z: number): void {
  const { fat, skin, muscle, air } = TISSUES.ct;
  const shoulders = ramp(60, 125, z);
  const outline = ellipse(0, 4, 168 + 22 * shoulders, 112 - 22 * shoulders);
  forEachPixel(raster, [-195, -120, 195, 122], 0, (index, x, y) => {
    const depth = outline.depth(x, y) + chest.branches(x * 0.02, y * 0.02, 4) * 4;
    if (depth < -1) return;
    const wall = -cage.depth(x, y);
    const streak = chest.twigs(x * 0.06, y * 0.06, z * 0.04);
    const flesh = clamp((26 + 22 * shoulders - wall + streak * 16) / 5, 0, 1) * ramp(9, 15, depth);
    const inner = mix(fat, muscle, flesh * (1 - 0.6 * bell(streak, 0.08)));
    const value = depth < 2 ? skin : inner;
    raster.values[index] = mix(air, value, clamp(depth + 0.5, 0, 1));
  });
}

/** Height of the diaphragm: a dome on each side, the right one higher. */
function diaphragmAt(x: number, y: number): number {
  const side = Math.abs(x);
  const dome = 34 * bell(side - 66, 48) * bell(y + 8, 62);
  return (x < 0 ? -88 : -100) + dome - 20 * ramp(88, 136, side) - 22 * ramp(20, 70, y);
}

function paintLungs(raster: Raster, chest: Chest, cage: Shape, z: number): void {
  const heart = heartAt(z);
  forEachPixel(raster, cage.bounds, 0, (index, x, y) => {
    const wall = cage.depth(x, y) - 2;
    if (wall < -2) return;
    const above = (z - diaphragmAt(x, y)) * 0.7;
    if (above < 0) {
      const organ = organAt(chest, x, y, z);
      raster.values[index] = mix(raster.values[index] ?? 0, organ, clamp(wall, 0, 1));
    }
    const side = Math.abs(x);
    const middle =
      18 + 9 * bell(y + 6, 26) + 10 * ramp(38, 62, y) * (1 - ramp(62, 84, y)) + 14 * ramp(66, 110, z);
    const pericardium = heart ? -heart.depth(x, y) - 5 : 99;
    const aorta = z < 50 ? Math.hypot(x - 20, y - 34) - 14 : 99;
    const lung = Math.min(wall, above, side - middle, pericardium, aorta);
    if (lung < -1) return;
    const air = lungAt(chest, x, y, z);
    raster.values[index] = mix(raster.values[index] ?? 0, air, clamp(lung / raster.spacing[0] + 0.5, 0, 1));
  });
}

/** Below the diaphragm: liver on the right, stomach in front on the left, spleen behind it, fat between. */
function organAt(chest: Chest, x: number, y: number, z: number): number {
  const uneven = chest.branches(x * 0.04, y * 0.04, z * 0.03) * 9;
  const liver = ramp(2, -2, x - 22 + y * 0.35 + uneven);
  const stomach = ramp(-1, 2, ellipse(62, -26, 44, 36).depth(x, y) + uneven);
  const spleen = ramp(-1, 2, ellipse(92, 34, 24, 40, 0.5).depth(x, y) + uneven * 0.6);
  const soft = mix(TISSUES.ct.fat, 32, stomach);
  return mix(mix(soft, LIVER - 6, spleen), LIVER, liver);
}

/** Lung with its vessels: where two noises are zero at once lie winding lines in space, thick near the hilum. */
function lungAt(chest: Chest, x: number, y: number, z: number): number {
  const hilum = Math.hypot(Math.abs(x) - 32, y - 4, z * 0.7);
  const thick = mix(0.24, 0.06, ramp(8, 80, hilum));
  const branch = Math.hypot(
    chest.branches(x * 0.05, y * 0.05, z * 0.045),
    chest.branches(x * 0.05 + 13, y * 0.05 + 7, z * 0.045),
  );
  const twig = Math.hypot(
    chest.twigs(x * 0.115, y * 0.115, z * 0.1),
    chest.twigs(x * 0.115 + 9, y * 0.115 + 5, z * 0.1),
  );
  const vessel = clamp(bell(branch, thick) + bell(twig, mix(0.13, 0.07, ramp(20, 110, hilum))) * 0.6, 0, 1);
  const rest = LUNG + 26 * chest.twigs(x * 0.03, y * 0.03, z * 0.03) + 0.35 * y;
  return mix(rest, BLOOD, vessel);
}

function heartAt(z: number): Shape | undefined {
  return ellipsoidAt(z, [22, -22, -46], [60, 44, 58], 0.45);
}

function paintMediastinum(raster: Raster, chest: Chest, cage: Shape, z: number): void {
  const { fat, muscle } = TISSUES.ct;
  paint(raster, cage, (x, y) => fat + 14 * chest.twigs(x * 0.08, y * 0.08, z * 0.06), { softMm: 1 });
  const heart = heartAt(z);
  if (heart) {
    paint(raster, heart, BLOOD, { softMm: 1.5 });
    const leftChamber = ellipsoidAt(z, [40, -18, -52], [24, 17, 32], 0.45);
    if (leftChamber) paint(raster, rimOf(leftChamber, 8), muscle, { softMm: 3, opacity: 0.7 });
  }
  const vessels: [middle: [number, number, number], radii: [number, number, number]][] = [
    [
      [-10, -20, 14],
      [16, 16, 46],
    ],
    [
      [16, -26, 8],
      [15, 14, 26],
    ],
    [
      [-25, -12, 36],
      [9, 8, 52],
    ],
    [
      [-9, -28, 92],
      [6, 6, 36],
    ],
    [
      [8, -22, 92],
      [5, 5, 36],
    ],
    [
      [17, -8, 92],
      [5.5, 5.5, 36],
    ],
  ];
  for (const [middle, radii] of vessels) {
    const vessel = ellipsoidAt(z, middle, radii);
    if (vessel) paint(raster, vessel, BLOOD, { softMm: 1 });
  }
  if (z < 48) paint(raster, ellipse(20, 34, 12, 12), BLOOD, { softMm: 1 });
  paint(raster, rod([-8, -24], [19, 32], 12.5), BLOOD, { softMm: 1, opacity: bell(z - 54, 9) });
  paint(raster, rod([14, -22], [-26, 2], 10, 7), BLOOD, { softMm: 1, opacity: bell(z - 14, 11) });
  paint(raster, ellipse(6, 26, 7, 5), muscle - 12, { softMm: 1 });
}

/** The CT table under the back. */
export function paintChestTable(raster: Raster): void {
  forEachPixel(raster, [-190, 118, 190, 170], 0, (index, x, y) => {
    const shell = Math.abs(y - 142 + x * x * 0.0009);
    const table = TISSUES.ct.air + 1150 * clamp(2 - shell, 0, 1);
    if (table > (raster.values[index] ?? 0)) raster.values[index] = table;
  });
}

function paintAirways(raster: Raster, z: number): void {
  const { air, muscle } = TISSUES.ct;
  const tubes: Shape[] = [];
  if (z > 46) tubes.push(ellipse(-1, 4, 8.5, 8));
  else if (z > 4) {
    const apart = (46 - z) * 0.72;
    tubes.push(
      ellipse(-3 - apart, 6 + apart * 0.1, 6.6, 6),
      ellipse(3 + apart * 1.1, 7 + apart * 0.1, 5.8, 5.4),
    );
  }
  for (const tube of tubes) {
    paint(raster, { ...tube, depth: (x, y) => tube.depth(x, y) + 1.6 }, muscle, { softMm: 1 });
    paint(raster, tube, air + 6, { softMm: 1 });
  }
}

function paintSkeleton(raster: Raster, chest: Chest, z: number): void {
  const { bone, marrow, muscle } = TISSUES.ct;
  const spongy = (x: number, y: number): number => 190 + 90 * chest.twigs(x * 0.4, y * 0.4, z * 0.3);
  const shelled = (shape: Shape, shell: number): void => {
    paint(raster, shape, spongy, { softMm: 1 });
    paint(raster, rimOf(shape, shell), bone * 0.72, { softMm: 1 });
  };
  for (const path of ribPath(BACK_Y)) {
    path.slice(1).forEach((to, i) => {
      const from = path[i] ?? to;
      const off = Math.max(0, Math.min(from[2], to[2]) - z, z - Math.max(from[2], to[2]));
      if (off >= RIB_RADIUS) return;
      const radius = Math.sqrt(RIB_RADIUS ** 2 - off ** 2);
      paint(raster, rod([from[0], from[1]], [to[0], to[1]], radius), marrow * 1.25, { softMm: 1 });
      paint(raster, rod([from[0], from[1]], [to[0], to[1]], radius - 2), marrow * 0.6, { softMm: 1 });
    });
  }
  shelled(ellipse(0, 62, 18, 15), 1.6);
  shelled(ellipse(0, 84, 15, 9), 2.5);
  paint(raster, ellipse(0, 80, 9, 7), 25, { softMm: 1 });
  paint(raster, rod([0, 90], [0, 104], 3, 2.4), bone * 0.6, { softMm: 1 });
  for (const side of [-1, 1]) {
    paint(raster, ellipse(side * 24, 88, 15, 11, side * 0.3), muscle, { softMm: 2 });
    paint(raster, rod([side * 12, 80], [side * 34, 88], 3.4, 3), bone * 0.6, { softMm: 1 });
    const blade = ramp(-20, 0, z);
    paint(raster, rod([side * 76, 94], [side * 138, 56], 2.6, 4.4), bone * 0.66, {
      softMm: 1,
      opacity: blade,
    });
  }
  if (z > -70) shelled(ellipse(0, -(28 + 143 * 0.4) - 4 + Math.max(0, z) * 0.2, 17, 6.5), 1.8);
}
