import { clamp, type Grain, lengthOf } from "./noise.ts";
import { avalanche } from "./random.ts";

/** A plane figure: how deep a point lies inside it, in mm (negative outside), and the box that holds it. */
export interface Shape {
  depth(x: number, y: number): number;
  /** `[left, top, right, bottom]` in mm. */
  bounds: readonly [number, number, number, number];
}

export interface RasterOptions {
  columns: number;
  rows: number;
  /** Field of view in mm, `[across, down]`. */
  fieldOfView: readonly [number, number];
  /** Millimetre position of the picture's middle; `[0, 0]` unless told. */
  middle?: readonly [number, number];
  background: number;
}

/** A picture in the making: values on a grid whose pixels know where they lie in mm. */
export interface Raster {
  readonly columns: number;
  readonly rows: number;
  readonly values: Float32Array;
  /** mm between pixel centres, `[across, down]`. */
  readonly spacing: readonly [number, number];
  /** mm position of the first pixel's centre. */
  readonly origin: readonly [number, number];
}

export function createRaster(options: RasterOptions): Raster {
  const { columns, rows, fieldOfView, middle = [0, 0], background } = options;
  const spacing = [fieldOfView[0] / columns, fieldOfView[1] / rows] as const;
  return {
    columns,
    rows,
    values: new Float32Array(columns * rows).fill(background),
    spacing,
    origin: [
      middle[0] - fieldOfView[0] / 2 + spacing[0] / 2,
      middle[1] - fieldOfView[1] / 2 + spacing[1] / 2,
    ],
  };
}

export interface PaintOptions {
  /** Width of the soft rim in mm; at least one pixel is used, so that edges never look cut out. */
  softMm?: number;
  /** 0 leaves what is there, 1 replaces it. */
  opacity?: number;
}

/** Blends a value over every pixel inside the shape. */
export function paint(
  raster: Raster,
  shape: Shape,
  value: number | ((x: number, y: number) => number),
  options: PaintOptions = {},
): void {
  const rim = Math.max(options.softMm ?? 0, raster.spacing[0] * 1.2);
  const opacity = clamp(options.opacity ?? 1, 0, 1);
  if (opacity === 0) return;
  forEachPixel(raster, shape.bounds, rim, (index, x, y) => {
    const cover = clamp(shape.depth(x, y) / rim + 0.5, 0, 1) * opacity;
    if (cover === 0) return;
    const before = raster.values[index] ?? 0;
    const ink = typeof value === "number" ? value : value(x, y);
    raster.values[index] = before + (ink - before) * cover;
  });
}

/** Adds an amount to the pixels in a box: what a ray picks up on its way through something. */
export function accumulate(
  raster: Raster,
  bounds: Shape["bounds"],
  amount: (x: number, y: number) => number,
): void {
  forEachPixel(raster, bounds, 0, (index, x, y) => {
    raster.values[index] = (raster.values[index] ?? 0) + amount(x, y);
  });
}

/** Visits the pixels whose centres lie within the box widened by `marginMm`. */
export function forEachPixel(
  raster: Raster,
  bounds: Shape["bounds"],
  marginMm: number,
  visit: (index: number, x: number, y: number) => void,
): void {
  const { columns, rows, spacing, origin } = raster;
  const left = clamp(Math.floor((bounds[0] - marginMm - origin[0]) / spacing[0]), 0, columns);
  const right = clamp(Math.ceil((bounds[2] + marginMm - origin[0]) / spacing[0]), -1, columns - 1);
  const top = clamp(Math.floor((bounds[1] - marginMm - origin[1]) / spacing[1]), 0, rows);
  const bottom = clamp(Math.ceil((bounds[3] + marginMm - origin[1]) / spacing[1]), -1, rows - 1);
  for (let row = top; row <= bottom; row++) {
    const y = origin[1] + row * spacing[1];
    for (let column = left; column <= right; column++) {
      visit(row * columns + column, origin[0] + column * spacing[0], y);
    }
  }
}

/** The whole picture as a box. */
export function wholeOf(raster: Raster): Shape["bounds"] {
  const [x, y] = raster.origin;
  return [x, y, x + raster.columns * raster.spacing[0], y + raster.rows * raster.spacing[1]];
}

/** An ellipse with half axes `a` and `b`, turned by `turn` radians. */
export function ellipse(x0: number, y0: number, a: number, b: number, turn = 0): Shape {
  const cosine = Math.cos(turn);
  const sine = Math.sin(turn);
  const reach = Math.max(a, b);
  const scale = Math.min(a, b);
  return {
    bounds: [x0 - reach, y0 - reach, x0 + reach, y0 + reach],
    depth: (x, y) => {
      const u = ((x - x0) * cosine + (y - y0) * sine) / a;
      const v = ((y - y0) * cosine - (x - x0) * sine) / b;
      return (1 - Math.sqrt(u * u + v * v)) * scale;
    },
  };
}

/** The cut through an ellipsoid at height `z`, or nothing where the plane misses it. */
export function ellipsoidAt(
  z: number,
  middle: readonly [number, number, number],
  radii: readonly [number, number, number],
  turn = 0,
): Shape | undefined {
  const height = (z - middle[2]) / radii[2];
  if (Math.abs(height) >= 0.99) return undefined;
  const shrink = Math.sqrt(1 - height * height);
  return ellipse(middle[0], middle[1], radii[0] * shrink, radii[1] * shrink, turn);
}

/** A rod from one point to another whose half thickness goes from `startRadius` to `endRadius`. */
export function rod(
  from: readonly [number, number],
  to: readonly [number, number],
  startRadius: number,
  endRadius = startRadius,
): Shape {
  const reach = Math.max(startRadius, endRadius);
  const dx = to[0] - from[0];
  const dy = to[1] - from[1];
  const lengthSquared = dx * dx + dy * dy || 1;
  return {
    bounds: [
      Math.min(from[0], to[0]) - reach,
      Math.min(from[1], to[1]) - reach,
      Math.max(from[0], to[0]) + reach,
      Math.max(from[1], to[1]) + reach,
    ],
    depth: (x, y) => {
      const along = clamp(((x - from[0]) * dx + (y - from[1]) * dy) / lengthSquared, 0, 1);
      const distance = lengthOf(x - from[0] - along * dx, y - from[1] - along * dy);
      return startRadius + (endRadius - startRadius) * along - distance;
    },
  };
}

/** A shape's rim: `thickness` mm on the inner side of its edge. */
export function rimOf(shape: Shape, thickness: number): Shape {
  const half = thickness / 2;
  return {
    bounds: shape.bounds,
    depth: (x, y) => half - Math.abs(shape.depth(x, y) - half),
  };
}

/** Softens by a 1-2-1 window in both directions: the blur of a detector and its reconstruction. */
export function soften(raster: Raster): void {
  const { columns, rows, values } = raster;
  const across = new Float32Array(values.length);
  const blend = (
    source: Float32Array,
    target: Float32Array,
    index: number,
    before: number,
    after: number,
  ): void => {
    target[index] = ((source[before] ?? 0) + 2 * (source[index] ?? 0) + (source[after] ?? 0)) / 4;
  };
  for (let row = 0; row < rows; row++) {
    const first = row * columns;
    const last = first + columns - 1;
    for (let index = first; index <= last; index++) {
      blend(values, across, index, Math.max(index - 1, first), Math.min(index + 1, last));
    }
  }
  const lastRow = (rows - 1) * columns;
  for (let index = 0; index < values.length; index++) {
    const column = index % columns;
    blend(
      across,
      values,
      index,
      Math.max(index - columns, column),
      Math.min(index + columns, lastRow + column),
    );
  }
}

/** Noise of the detector, `deviation` in the raster's own unit, different for every slice. */
export function addGrain(raster: Raster, grain: Grain, deviation: number, slice: number): void {
  const shift = avalanche(slice + 1) & 0xffff;
  const { values, columns, rows } = raster;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const index = row * columns + column;
      values[index] = (values[index] ?? 0) + grain.at(column, row, shift) * deviation;
    }
  }
}
