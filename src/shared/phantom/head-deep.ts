import type { HeadSection } from "./head-section.ts";
import { bell, clamp, lengthOf, ramp } from "./noise.ts";
import { ellipsoidAt, forEachPixel, paint, type Shape } from "./raster.ts";
import type { Tissues } from "./tissue.ts";

interface Structure {
  tissue: keyof Tissues;
  /** mm; mirrored to the other side unless `single`. */
  middle: readonly [number, number, number];
  radii: readonly [number, number, number];
  turn?: number;
  opacity?: number;
  softMm?: number;
  single?: boolean;
  /** Grows with the person's age, as ventricles do. */
  ageing?: boolean;
}

const GREY_NUCLEI: readonly Structure[] = [
  { tissue: "greyMatter", middle: [11, 13, 15], radii: [8.5, 14, 12], turn: -0.35, opacity: 0.75, softMm: 3 },
  { tissue: "greyMatter", middle: [14, -21, 19], radii: [6, 12, 15], turn: -0.3, softMm: 2 },
  {
    tissue: "greyMatter",
    middle: [25, -5, 13],
    radii: [7.5, 19, 13],
    turn: -0.28,
    opacity: 0.85,
    softMm: 2.5,
  },
  { tissue: "greyMatter", middle: [37.5, -4, 12], radii: [2.2, 22, 16], turn: -0.1, softMm: 2 },
  { tissue: "greyMatter", middle: [29, 8, -14], radii: [6, 11, 7], turn: 0.3, opacity: 0.8, softMm: 3 },
];

const VENTRICLES: readonly Structure[] = [
  { tissue: "fluid", middle: [8.5, -26, 22], radii: [4.2, 13, 11], turn: -0.42, softMm: 1.4, ageing: true },
  { tissue: "fluid", middle: [10, 4, 33], radii: [6, 38, 9], turn: 0.13, softMm: 1.4, ageing: true },
  { tissue: "fluid", middle: [22, 37, 22], radii: [5, 15, 12], turn: 0.4, softMm: 1.4, ageing: true },
  { tissue: "fluid", middle: [31, 12, -13], radii: [1.8, 9, 4], turn: 0.35, softMm: 1.2, ageing: true },
  { tissue: "fluid", middle: [0, 8, 12], radii: [2.1, 14, 11], softMm: 1.2, single: true, ageing: true },
  { tissue: "fluid", middle: [0, 43, -22], radii: [7, 5.5, 11], softMm: 1.4, single: true },
  { tissue: "calcification", middle: [20, 34, 21], radii: [2.2, 4.4, 5], turn: 0.4, softMm: 1.2 },
  { tissue: "calcification", middle: [0, 26, 14], radii: [2.2, 2.6, 3.5], softMm: 1, single: true },
];

const BRAINSTEM: readonly Structure[] = [
  {
    tissue: "whiteMatter",
    middle: [0, 20, -24],
    radii: [16, 14, 16],
    opacity: 0.75,
    softMm: 2.5,
    single: true,
  },
  { tissue: "whiteMatter", middle: [9, 14, -3], radii: [7, 9, 8], turn: 0.5, opacity: 0.7, softMm: 2 },
  { tissue: "whiteMatter", middle: [0, 22, -48], radii: [9, 8, 14], opacity: 0.8, softMm: 2, single: true },
];

/** What lies inside the brain: nuclei, ventricles, cisterns, falx, cerebellum. */
export function paintDeepStructures(section: HeadSection): void {
  paintTable(section, GREY_NUCLEI);
  if (section.z < 2) paintPosteriorFossa(section);
  paintTable(section, BRAINSTEM);
  paintCisterns(section);
  paintTable(section, VENTRICLES);
  if (section.z > 2) paintFalx(section);
}

function paintTable(
  { raster, tissues, z, head, brainDepth }: HeadSection,
  table: readonly Structure[],
): void {
  for (const structure of table) {
    const [x, y, height] = structure.middle;
    const [a, b, c] = structure.radii;
    const grow = structure.ageing ? head.age : 1;
    for (const side of structure.single ? [1] : [-1, 1]) {
      const shape = ellipsoidAt(
        z,
        [side * x, y, height],
        [a * grow, b * Math.sqrt(grow), c],
        side * (structure.turn ?? 0),
      );
      if (!shape) continue;
      const rough = roughened(within(shape, brainDepth), head.warp, z);
      paint(raster, rough, tissues[structure.tissue], structure);
    }
  }
}

function within(shape: Shape, inside: Shape): Shape {
  return { bounds: shape.bounds, depth: (x, y) => Math.min(shape.depth(x, y), inside.depth(x, y) - 2) };
}

function roughened(shape: Shape, warp: HeadSection["head"]["warp"], z: number): Shape {
  return {
    bounds: shape.bounds,
    depth: (x, y) => shape.depth(x, y) + warp(x * 0.11, y * 0.11, z * 0.06 + 19) * 0.9,
  };
}

/** The cerebellum with its fine parallel folds, and the fluid that parts it from the tentorium. */
function paintPosteriorFossa({ raster, tissues, z, head, brainDepth }: HeadSection): void {
  const room = ellipsoidAt(z, [0, 50, -34], [56, 42, 28]);
  if (!room) return;
  const inside: Shape = {
    bounds: room.bounds,
    depth: (x, y) => Math.min(room.depth(x, y), brainDepth.depth(x, y) - 1.2, y - 14 - Math.abs(x) * 0.35),
  };
  paint(raster, inside, tissues.dura, { opacity: 0.3 * ramp(-6, -14, z), softMm: 2 });
  const cerebellum: Shape = { bounds: room.bounds, depth: (x, y) => inside.depth(x, y) - 1.6 };
  paint(
    raster,
    cerebellum,
    (x, y) => {
      const arc = lengthOf(x * 0.85, y - 30) + head.warp(x * 0.08, y * 0.08, z * 0.08) * 5;
      const leaf = Math.abs(Math.sin(arc * 0.75));
      const core = bell(Math.abs(x) - 18, 10) * bell(y - 50, 12);
      const grey =
        tissues.greyMatter + (tissues.whiteMatter - tissues.greyMatter) * clamp(core + 0.25 * leaf, 0, 1);
      const gap = bell(leaf, 0.16) * 0.42 * ramp(6, 14, arc) * (1 - core);
      const worm = bell(x, 1.3) * ramp(52, 70, y) * 0.5;
      return grey + (tissues.fluid - grey) * clamp(gap + worm, 0, 1);
    },
    { softMm: 1.5 },
  );
}

/** Fluid below the brain: the star above the sella, the cistern around the midbrain, the sylvian fissures. */
function paintCisterns({ raster, tissues, z, head, brainDepth }: HeadSection): void {
  const star = bell(z + 4, 9);
  const around = bell(z - 2, 10);
  const sylvian = bell(z - 8, 17);
  if (star + around + sylvian < 0.05) return;
  forEachPixel(raster, [-58, -48, 58, 44], 0, (index, x, y) => {
    const angle = Math.atan2(x, -(y + 4));
    const radius = lengthOf(x, y + 4);
    const uneven = head.warp(x * 0.12, y * 0.12, z * 0.1) * 2;
    const side = Math.abs(x);
    const points = star * clamp((11.5 * (1 + 0.42 * Math.cos(5 * angle)) + uneven - radius) / 1.6, 0, 1);
    const ring = around * bell(lengthOf(x, y - 17) - 18 + uneven, 1.6) * ramp(3, 8, side) * (y < 34 ? 1 : 0);
    const stem = sylvian * bell(y + 15 - 0.14 * (side - 30) + uneven, 1.5) * ramp(16, 22, side);
    const insula = sylvian * bell(side - 40.5 + uneven * 0.6, 1.4) * bell(y + 3, 20) * 0.9;
    const share = clamp(Math.max(points, ring, stem, insula), 0, 0.92);
    if (share < 0.02 || brainDepth.depth(x, y) < 1) return;
    const before = raster.values[index] ?? 0;
    raster.values[index] = before + (tissues.fluid - before) * share;
  });
}

/** The fold of dura between the hemispheres and the fluid on both its sides. */
function paintFalx({ raster, tissues, z, head, brainDepth }: HeadSection): void {
  const whole = ramp(38, 52, z);
  forEachPixel(raster, [-6, -95, 6, 98], 0, (index, x, y) => {
    const inside = brainDepth.depth(x, y);
    if (inside < -1) return;
    const between = clamp(ramp(-32, -42, y) + ramp(42, 52, y) + whole, 0, 1);
    const wander = x - head.warp(4.5, y * 0.045, z * 0.03) * 2.2;
    const fluid = clamp(bell(wander, 1.5 * head.age) * 0.8 * between, 0, 1);
    const dura = bell(wander - 0.3, 0.7) * between * (1 - ramp(16, 26, inside)) * 0.8;
    const sinus = bell(lengthOf(x, Math.min(inside, 6) - 2), 3) * (y > 40 || z > 70 ? 0.7 : 0);
    const before = raster.values[index] ?? 0;
    const wet = before + (tissues.fluid - before) * fluid;
    raster.values[index] = wet + (tissues.dura - wet) * clamp(dura + sinus, 0, 1);
  });
}
