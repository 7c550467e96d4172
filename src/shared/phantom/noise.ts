import { createRandom } from "./random.ts";

/** Smooth noise over space, repeating, values within [-1, 1]. */
export type SmoothNoise = (x: number, y: number, z: number) => number;

/** Value noise: random points on a lattice of `2 ** bits` a side, joined by a smooth curve. */
export function createSmoothNoise(seed: number, bits = 5): SmoothNoise {
  const size = 1 << bits;
  const mask = size - 1;
  const random = createRandom(seed);
  const lattice = Float32Array.from({ length: size ** 3 }, () => random() * 2 - 1);
  const between = (row: number, x0: number, x1: number, share: number): number => {
    // Masked indices are always inside the lattice; a fallback here costs a tenth of the time of a slice.
    const from = lattice[row + x0] as number;
    return from + ((lattice[row + x1] as number) - from) * share;
  };

  return (x, y, z) => {
    const floorX = Math.floor(x);
    const floorY = Math.floor(y);
    const floorZ = Math.floor(z);
    const u = ease(x - floorX);
    const v = ease(y - floorY);
    const w = ease(z - floorZ);
    const x0 = floorX & mask;
    const x1 = (x0 + 1) & mask;
    const y0 = (floorY & mask) << bits;
    const y1 = ((floorY + 1) & mask) << bits;
    const z0 = (floorZ & mask) << (2 * bits);
    const z1 = ((floorZ + 1) & mask) << (2 * bits);
    const near = mix(between(z0 | y0, x0, x1, u), between(z0 | y1, x0, x1, u), v);
    const far = mix(between(z1 | y0, x0, x1, u), between(z1 | y1, x0, x1, u), v);
    return mix(near, far, w);
  };
}

/** A repeating tile of correlated grain with mean 0 and standard deviation 1. */
export interface Grain {
  /** `shift` picks another part of the tile, so that no two slices carry the same grain. */
  at(column: number, row: number, shift: number): number;
}

/** Detector noise as it looks after reconstruction: white noise, softened over a pixel. */
export function createGrain(seed: number, tileBits = 8): Grain {
  const size = 1 << tileBits;
  const mask = size - 1;
  const random = createRandom(seed);
  const white = Float32Array.from({ length: size ** 2 }, () => random() + random() + random() - 1.5);
  const pick = (index: number): number => white[index & (white.length - 1)] ?? 0;
  const lines = white.map((_, i) => pick(i - 1) + 2 * pick(i) + pick(i + 1));
  const line = (index: number): number => lines[index & (lines.length - 1)] ?? 0;
  // A sum of three uniform numbers has variance 1/4; the 1-2-1 windows multiply it by 6 each.
  const tile = lines.map((_, i) => (line(i - size) + 2 * line(i) + line(i + size)) / 3);
  return {
    at: (column, row, shift) => tile[((row + (shift >>> 8)) & mask) * size + ((column + shift) & mask)] ?? 0,
  };
}

export function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

export function clamp(value: number, low: number, high: number): number {
  return value < low ? low : Math.min(value, high);
}

/** 0 below `low`, 1 above `high`, a smooth curve between. */
export function ramp(low: number, high: number, value: number): number {
  return ease(clamp((value - low) / (high - low), 0, 1));
}

/** Length of a vector; `Math.hypot` guards against overflow and takes several times as long. */
export function lengthOf(x: number, y: number): number {
  return Math.sqrt(x * x + y * y);
}

/** A bell of height 1 around 0. */
export function bell(distance: number, width: number): number {
  const scaled = (distance / width) ** 2;
  return scaled > 9 ? 0 : Math.exp(-scaled);
}

function ease(t: number): number {
  return t * t * (3 - 2 * t);
}
