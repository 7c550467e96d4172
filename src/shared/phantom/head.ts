import { paintSkullBase } from "./head-base.ts";
import { paintDeepStructures } from "./head-deep.ts";
import type { Head, HeadSection } from "./head-section.ts";
import {
  bell,
  clamp,
  createGrain,
  createSmoothNoise,
  lengthOf,
  mix,
  ramp,
  type SmoothNoise,
} from "./noise.ts";
import { createRandom, seedOf } from "./random.ts";
import { ellipse, forEachPixel, paint, type Raster, type Shape, wholeOf } from "./raster.ts";
import type { Tissues } from "./tissue.ts";

/** Heights in mm between which the head is modelled; 0 lies just above the sella. */
export const HEAD_RANGE = { bottom: -50, top: 92 } as const;

const HALF_WIDTH = 74;
const HALF_LENGTH = 93;
const WIDEST_Z = 14;
const VERTEX_Z = 96;

/** `matrix` is the size of the pictures to be made: small ones do with less noise. */
export function createHead(seed: number, matrix = 512): Head {
  const random = createRandom(seedOf(seed, "head"));
  const small = matrix < 128;
  const noise = (name: string): SmoothNoise => createSmoothNoise(seedOf(seed, name), small ? 4 : 5);
  return {
    folds: noise("folds"),
    fineFolds: noise("fine folds"),
    warp: noise("warp"),
    grain: createGrain(seedOf(seed, "grain"), small ? 5 : 8),
    age: 0.85 + random() * 0.4,
    lean: random() * 2 - 1,
  };
}

/** Paints the cut through the head at height `z` (mm) into the raster: image x to the left, y to the back. */
export function paintHead(raster: Raster, head: Head, tissues: Tissues, z: number): void {
  const skinDepth = outline(head, z);
  const brainDepth = innerTable(skinDepth, z);
  const section: HeadSection = { raster, head, tissues, z, skinDepth, brainDepth };
  paintEars(section);
  paintLayers(section);
  if (z > -46) paintDeepStructures(section);
  if (z < 22) paintSkullBase(section);
}

function outline(head: Head, z: number): Shape {
  const rise = clamp((z - WIDEST_Z) / (VERTEX_Z - WIDEST_Z), 0, 1);
  const shrink = z > WIDEST_Z ? Math.sqrt(1 - rise ** 2.3) : 1 - 0.09 * ((WIDEST_Z - z) / 64) ** 1.5;
  const a = HALF_WIDTH * shrink;
  const b = HALF_LENGTH * shrink;
  const middleY = 4 * rise;
  const front = mix(-0.06, 0.1, ramp(0, -22, z));
  return {
    bounds: [-a * 1.15, middleY - b * 1.05, a * 1.15, middleY + b * 1.05],
    depth: (x, y) => {
      const back = (y - middleY) / b;
      // The skull is widest behind the ears and narrows towards the forehead.
      const width = a * (1 + 0.075 * clamp(back, -1, 1) + (back < 0 ? front * back * back : 0));
      const u = Math.abs(x + head.lean * back) / width;
      return (1 - Math.sqrt(u * u * (1 + 0.1 * u * u) + back * back * (1 - 0.05 * u * u))) * a;
    },
  };
}

function innerTable(skin: Shape, z: number): Shape {
  return { bounds: skin.bounds, depth: (x, y) => skin.depth(x, y) - coverThickness(x, y, z) };
}

/** Scalp and skull together in mm: thicker at the forehead, the back and the crown. */
function coverThickness(x: number, y: number, z: number): number {
  const forehead = y < 0 ? 2.2 * bell(y + 88, 26) : 0;
  const occiput = y > 22 ? 3.2 * bell(y - 88, 22) * bell(x, 26) : 0;
  return 11.4 + 4 * ramp(70, 94, z) + forehead + occiput;
}

function paintLayers(section: HeadSection): void {
  const { raster, tissues, skinDepth, head, z } = section;
  const pixel = raster.spacing[0];
  forEachPixel(raster, skinDepth.bounds, 2, (index, x, y) => {
    const smooth = skinDepth.depth(x, y);
    if (smooth < -2) return;
    const depth = smooth + (smooth < 24 ? head.warp(x * 0.03, y * 0.03, z * 0.02 + 7) * 1.1 : 0);
    const inner = depth - coverThickness(x, y, z);
    const brain = clamp(inner / pixel + 0.5, 0, 1);
    let value = brain > 0 ? brainAt(section, inner, x, y) : 0;
    if (brain < 1) {
      const skull = clamp((depth - 5.4) / pixel + 0.5, 0, 1);
      const cover = mix(scalpAt(section, depth, x, y), skullAt(section, depth - 5.4, -inner, x, y), skull);
      value = mix(cover, value, brain);
    }
    raster.values[index] = mix(tissues.air, value, clamp(depth / pixel + 0.5, 0, 1));
  });
}

function scalpAt({ tissues, z }: HeadSection, depth: number, x: number, y: number): number {
  if (depth < 1.6) return tissues.skin;
  const temple = bell(y + 20, 30) * ramp(40, 66, Math.abs(x)) * (1 - ramp(30, 55, z));
  return mix(tissues.fat, tissues.muscle, clamp(temple * 1.6 + (depth > 4.6 ? 0.6 : 0), 0, 1));
}

/** Two dense tables and the spongy layer between them. */
function skullAt(
  { tissues, head, z }: HeadSection,
  outer: number,
  inner: number,
  x: number,
  y: number,
): number {
  const core = clamp(Math.min(outer, inner) - 1.1, 0, 1.4) / 1.4;
  const sponge = 0.75 + 0.25 * head.fineFolds(x * 0.32, y * 0.32, z * 0.2);
  return mix(tissues.bone, tissues.marrow, core * sponge);
}

/**
 * White matter inside, a grey ribbon along every fold, fluid in the folds. The folds are the zero lines of
 * a noise read mostly along the surface, so that they run inwards as sulci do.
 */
function brainAt({ tissues, head, z }: HeadSection, inner: number, x: number, y: number): number {
  if (inner > 52) return tissues.whiteMatter;
  const surface = 1 + (0.62 * Math.max(inner, 0)) / (lengthOf(x, y) + 12);
  const bend = head.warp(x * 0.07 + 3, y * 0.07, z * 0.05) * 9;
  const px = (x * surface + bend) * 0.074;
  const py = (y * surface - bend) * 0.074;
  const pz = z * 0.06;
  const fold = Math.abs(head.folds(px, py, pz));
  const fine = Math.abs(head.fineFolds(px * 1.9 + 11, py * 1.9, pz * 1.7));
  const reach = bell(inner, 23);
  const shallow = bell(inner, 9);
  const grey = clamp(bell(inner, 4.2) + reach * bell(fold, 0.24) + shallow * bell(fine, 0.26) * 0.8, 0, 1);
  const wide = 0.085 * head.age;
  const fluid = clamp(
    bell(inner, 1.3 * head.age) * 0.85 + reach * bell(fold, wide) * 0.9 + shallow * bell(fine, wide) * 0.7,
    0,
    0.96,
  );
  const texture = 0.06 * head.fineFolds(x * 0.21, y * 0.21, z * 0.3);
  const cortex = mix(tissues.whiteMatter, tissues.greyMatter, clamp(grey + texture, 0, 1));
  return mix(cortex, tissues.fluid, fluid);
}

function paintEars({ raster, tissues, z }: HeadSection): void {
  if (z < -48 || z > 4) return;
  const height = Math.sqrt(Math.max(0, 1 - ((z + 22) / 26) ** 2));
  for (const side of [-1, 1]) {
    const lobe = ellipse(side * (HALF_WIDTH - 3), 18, 3.4, 15 * height + 1, side * -0.42);
    paint(raster, lobe, tissues.skin, { softMm: 1.2 });
    paint(raster, ellipse(side * (HALF_WIDTH - 0.5), 15, 1.6, 7 * height, side * -0.42), tissues.air, {
      softMm: 1,
      opacity: height * 0.8,
    });
  }
}

/** The head rest of the CT table: a thin curved shell under the head. */
export function paintHeadRest(raster: Raster, air: number): void {
  const shell = (x: number, y: number): number => lengthOf(x, y + 44) - 150;
  forEachPixel(raster, wholeOf(raster), 0, (index, x, y) => {
    if (y < 40) return;
    const foam = clamp((shell(x, y) + 9) / 2, 0, 1) * clamp((3 - shell(x, y)) / 2, 0, 1);
    const skin = clamp(1.8 - Math.abs(shell(x, y)), 0, 1);
    const rest = air + foam * 60 + skin * 1250;
    if (rest > (raster.values[index] ?? 0)) raster.values[index] = rest;
  });
}
