import type { HeadSection } from "./head-section.ts";
import { bell, clamp, mix, ramp } from "./noise.ts";
import { ellipse, ellipsoidAt, forEachPixel, paint, rimOf, rod, type Shape } from "./raster.ts";

/** The floor of the skull and the face below it: bone, orbits, sinuses, mastoids. */
export function paintSkullBase(section: HeadSection): void {
  paintFloor(section);
  paintPetrousBone(section);
  paintSinuses(section);
  for (const side of [-1, 1]) paintOrbit(section, side);
  paintNose(section);
}

/**
 * Height of the skull's floor in mm: high over the orbits, a step down behind the sphenoid wings, deepest
 * at the back. Cutting a sloped floor with a plane gives the oblique bone bands of a real skull base.
 */
function floorHeight(x: number, y: number): number {
  const side = Math.abs(x);
  const wing = -34 + 0.0042 * side * side;
  const roof = 8 * bell(side - 30, 15) * bell(y + 58, 20);
  const front = -14 + roof + 5 * bell(x, 3);
  const bowl = -36 + 0.013 * (side - 36) ** 2 + 0.008 * (y + 8) ** 2;
  const middle = mix(-13, bowl, ramp(9, 24, side));
  const fore = mix(front, middle, ramp(wing - 4, wing + 7, y));
  const ridge = 14 + 0.42 * (side - 22);
  return mix(fore, -58, ramp(ridge - 5, ridge + 9, y));
}

function paintFloor({ raster, tissues, z, head, brainDepth, skinDepth }: HeadSection): void {
  if (z > 4) return;
  forEachPixel(raster, skinDepth.bounds, 0, (index, x, y) => {
    if (brainDepth.depth(x, y) < 0) return paintOuterFace(index, x, y);
    const even = floorHeight(x, y) - z;
    if (even < -2.4) return;
    const below = even + head.fineFolds(x * 0.12, y * 0.12, 3) * 1.6;
    if (below < -0.8) return;
    const streak = head.folds(x * 0.07, y * 0.09, z * 0.06);
    // Planes of fat part the muscles of chewing and swallowing.
    const face = mix(tissues.muscle, tissues.fat, bell(streak, 0.09) * 0.75);
    const ground = mix(tissues.bone, face, ramp(2.6, 4.2, below));
    raster.values[index] = mix(raster.values[index] ?? 0, ground, clamp(below + 0.8, 0, 1));
  });

  /** The vault's bone ends below the orbits: there the rim becomes cheek, muscle and fat. */
  function paintOuterFace(index: number, x: number, y: number): void {
    const depth = skinDepth.depth(x, y);
    const share = ramp(-22, -34, z) * ramp(-6, -22, y) * ramp(4.5, 6, depth);
    if (share === 0) return;
    const streak = head.folds(x * 0.11, y * 0.11, z * 0.1 + 4);
    const soft = mix(tissues.fat, tissues.muscle, ramp(-0.1, 0.25, streak + 0.2));
    raster.values[index] = mix(raster.values[index] ?? 0, soft, share);
  }
}

function paintPetrousBone({ raster, tissues, z, head }: HeadSection): void {
  const thick = Math.sqrt(Math.max(0, 1 - ((z + 25) / 13) ** 2));
  const bone = (x: number, y: number): number =>
    mix(tissues.bone * 1.05, tissues.marrow, clamp(0.35 + head.fineFolds(x * 0.4, y * 0.4, z * 0.3), 0, 0.5));
  const clivus = ellipsoidAt(z, [0, -4, -28], [15, 6.5, 16]);
  if (clivus) paint(raster, clivus, bone, { softMm: 1 });
  for (const side of [-1, 1]) {
    if (thick > 0) {
      paint(raster, rod([side * 15, 0], [side * 58, 24], 4 * thick, 10.5 * thick), bone, { softMm: 1 });
      const canal = rod([side * 24, 9], [side * 33, 11], 2, 2.4);
      paint(raster, canal, tissues.fluid, { opacity: bell(z + 22, 4), softMm: 1 });
      const earCanal = rod([side * 50, 16], [side * 70, 15], 3.2);
      paint(raster, earCanal, tissues.air, { opacity: bell(z + 27, 5), softMm: 1 });
    }
    paintMastoid(side);
  }

  function paintMastoid(side: number): void {
    const mastoid = ellipsoidAt(z, [side * 55, 31, -32], [11, 16, 17], side * 0.35);
    if (!mastoid) return;
    paint(raster, mastoid, bone, { softMm: 1 });
    const cells: Shape = {
      bounds: mastoid.bounds,
      depth: (x, y) =>
        Math.min(mastoid.depth(x, y) - 1.5, (head.folds(x * 0.34, y * 0.34, z * 0.3) - 0.02) * 5),
    };
    paint(raster, cells, tissues.air, { softMm: 0.8, opacity: 0.95 });
  }
}

function paintSinuses(section: HeadSection): void {
  const { raster, tissues, z, head } = section;
  const ethmoid = ellipsoidAt(z, [0, -60, -28], [13, 25, 22]);
  if (ethmoid) {
    paint(raster, ethmoid, tissues.bone * 0.7, { softMm: 1 });
    const cells: Shape = {
      bounds: ethmoid.bounds,
      depth: (x, y) => {
        const wall = Math.min(
          Math.abs(head.folds(x * 0.17, y * 0.15, z * 0.14)) * 12,
          Math.abs(x) * 1.5,
          ethmoid.depth(x, y),
        );
        return wall - 0.7;
      },
    };
    paint(raster, cells, tissues.air, { softMm: 0.8 });
  }
  const chambers: [middle: [number, number, number], radii: [number, number, number]][] = [
    [
      [8.5, -25, -27],
      [8, 12, 10],
    ],
    [
      [8.5, -79, -4],
      [8, 4, 10],
    ],
    [
      [26, -52, -52],
      [14, 18, 17],
    ],
  ];
  for (const [[x, y, height], radii] of chambers) {
    for (const side of [-1, 1]) {
      const uneven = 1 + 0.18 * side * head.lean;
      const chamber = ellipsoidAt(z, [side * x, y, height], [radii[0] * uneven, radii[1], radii[2]]);
      if (!chamber) continue;
      paint(raster, grown(chamber, 1.6), tissues.bone, { softMm: 1 });
      paint(raster, chamber, tissues.air, { softMm: 1 });
    }
  }
}

function paintOrbit({ raster, tissues, z }: HeadSection, side: number): void {
  const cone = ellipsoidAt(z, [side * 30, -56, -24], [17.5, 27, 18], side * 0.32);
  if (!cone) return;
  const turn = side * 0.32;
  paint(raster, grown(cone, 2.2), tissues.bone, { softMm: 1 });
  const lids = ellipse(side * 32, -74, 17, 12, turn);
  paint(raster, lids, tissues.skin, { softMm: 3, opacity: bell(z + 25, 12) });
  paint(raster, cone, tissues.fat, { softMm: 1 });

  const level = bell(z + 25, 7);
  const globe = ellipsoidAt(z, [side * 32, -68, -25], [12.2, 12.2, 12.2]);
  for (const offset of [-1, 1]) {
    const muscle = rod([side * 31 + offset * 12, -62], [side * 19 + offset * 2.5, -37], 1.5, 1.1);
    paint(raster, muscle, tissues.muscle, { softMm: 1, opacity: level });
  }
  paint(raster, rod([side * 30, -57], [side * 18, -36], 2), tissues.muscle * 0.9, {
    softMm: 1,
    opacity: level,
  });
  if (!globe) return;
  paint(raster, globe, tissues.vitreous, { softMm: 1 });
  paint(raster, rimOf(globe, 1.3), tissues.dura, { softMm: 1, opacity: 0.85 });
  paint(raster, ellipse(side * 32, -76.6, 4.6, 2, turn * 0.2), tissues.lens, {
    softMm: 0.8,
    opacity: bell(z + 25, 4),
  });
}

function paintNose({ raster, tissues, z, head }: HeadSection): void {
  if (z > -22) return;
  const bridge = ellipsoidAt(z, [0, -92, -50], [13, 14, 27]);
  if (bridge) paint(raster, bridge, tissues.skin, { softMm: 2, opacity: 0.95 });
  const cavity = ellipsoidAt(z, [0, -62, -52], [13, 28, 19]);
  if (!cavity) return;
  paint(raster, grown(cavity, 1.2), tissues.bone * 0.6, { softMm: 1 });
  paint(raster, cavity, tissues.air, { softMm: 1 });
  const turbinates: Shape = {
    bounds: cavity.bounds,
    depth: (x, y) => Math.min(cavity.depth(x, y) - 1, (head.folds(x * 0.2, y * 0.08, z * 0.1) - 0.1) * 8),
  };
  paint(raster, turbinates, tissues.muscle, { softMm: 1.2 });
  paint(raster, rod([0.6 * head.lean, -84], [0, -36], 1), tissues.bone * 0.5, { softMm: 0.8 });
}

function grown(shape: Shape, marginMm: number): Shape {
  const [left, top, right, bottom] = shape.bounds;
  return {
    bounds: [left - marginMm, top - marginMm, right + marginMm, bottom + marginMm],
    depth: (x, y) => shape.depth(x, y) + marginMm,
  };
}
