import {
  bell,
  clamp,
  createGrain,
  createSmoothNoise,
  type Grain,
  lengthOf,
  mix,
  ramp,
  type SmoothNoise,
} from "../../../src/shared/phantom/noise.ts";
import { seedOf } from "../../../src/shared/phantom/random.ts";
import { ellipse, rimOf, type Shape } from "../../../src/shared/phantom/raster.ts";

/** mm from the transducer's face to the bottom of the sector. */
const SECTOR_DEPTH_MM = 160;

const HALF_ANGLE = 0.66;
const APEX_MM = 8;

/** A heart seen from its tip: everything that stays the same from frame to frame. */
export interface Echo {
  columns: number;
  rows: number;
  grain: Grain;
  texture: SmoothNoise;
}

export function createEcho(columns: number, rows: number, seed: number): Echo {
  return {
    columns,
    rows,
    grain: createGrain(seedOf(seed, "speckle"), columns < 128 ? 6 : 8),
    texture: createSmoothNoise(seedOf(seed, "echo texture"), columns < 128 ? 4 : 5),
  };
}

/** mm per pixel, the same in both directions. */
export function sectorSpacing(echo: Echo): number {
  return (SECTOR_DEPTH_MM * 1.06) / echo.rows;
}

/** One frame at `phase` (0–1) of a heartbeat: 8-bit grey, row by row. */
export function renderEchoFrame(echo: Echo, phase: number): Uint8Array {
  const { columns, rows } = echo;
  const frame = new Uint8Array(columns * rows);
  const scene = heartAt(phase);
  visitSector(echo, (index, x, y, radius, angle) => {
    const level = echoLevel(scene, x, y, echo.texture);
    const speckle = speckleAt(echo.grain, radius, angle, phase, level);
    const gain = 0.84 + 0.28 * bell(radius - 95, 50) - 0.3 * ramp(130, 165, radius);
    const nearField = 0.4 * bell(radius - 3, 9);
    frame[index] = clamp(Math.round(255 * (level * speckle * gain + nearField * speckle)), 0, 255);
  });
  return frame;
}

/** The same frame as RGB with blood flow coloured in: red towards the transducer, blue away from it. */
export function renderDopplerFrame(echo: Echo, phase: number): Uint8Array {
  const grey = renderEchoFrame(echo, phase);
  const colour = new Uint8Array(grey.length * 3);
  grey.forEach((value, i) => {
    colour.fill(value, i * 3, i * 3 + 3);
  });
  const scene = heartAt(phase);
  visitSector(echo, (index, x, y, radius, angle) => {
    if (radius < 48 || radius > 138 || angle < -0.1 || angle > 0.42) return;
    const inside = Math.max(scene.leftVentricle.depth(x, y), scene.leftAtrium.depth(x, y)) - 3;
    const jet = Math.exp(-(((x - 17 - (y - 90) * 0.12) / 8) ** 2));
    const eddy = echo.texture(x * 0.09, y * 0.09, phase * 3);
    const speed = (jet * 1.5 - 0.55 + eddy * 0.5) * ramp(0, 4, inside);
    if (Math.abs(speed) < 0.14) return;
    const strength = clamp(Math.abs(speed), 0, 1);
    const hot = [90 + 165 * strength, 235 * ramp(0.45, 1, strength), 20];
    const cold = [10, 205 * ramp(0.4, 1, strength), 100 + 155 * strength];
    colour.set(speed > 0 ? hot : cold, index * 3);
  });
  return colour;
}

interface Heart {
  leftVentricle: Shape;
  rightVentricle: Shape;
  leftAtrium: Shape;
  rightAtrium: Shape;
  walls: Shape[];
  valves: Shape[];
}

/** The four chambers; the ventricles are smallest when the atria are fullest. */
function heartAt(phase: number): Heart {
  const squeeze = Math.sin(Math.PI * clamp(phase / 0.42, 0, 1)) ** 1.3;
  const small = 1 - 0.24 * squeeze;
  const full = 1 + 0.12 * squeeze;
  const base = 96 - 8 * squeeze;
  const leftVentricle = ellipse(19, base - 34, 20 * small, 36 * (0.9 + 0.1 * small), -0.1);
  const rightVentricle = ellipse(-24, base - 28, 14 * small, 31, 0.24);
  const leftAtrium = ellipse(20, base + 24, 19 * full, 20 * full);
  const rightAtrium = ellipse(-23, base + 22, 17 * full, 18 * full);
  const open = 0.15 + 0.85 * ramp(0.5, 0.6, phase) * ramp(1.02, 0.8, phase);
  const valves = [
    leaflet(36, base - 2, -1, open),
    leaflet(4, base - 2, 1, open),
    leaflet(-9, base - 3, -1, open),
    leaflet(-37, base - 3, 1, open),
  ];
  const walls = [
    rimOf(grown(leftVentricle, 9 + 4 * squeeze), 9 + 4 * squeeze),
    rimOf(grown(rightVentricle, 5), 5),
    rimOf(grown(leftAtrium, 3), 3),
    rimOf(grown(rightAtrium, 3), 3),
  ];
  return { leftVentricle, rightVentricle, leftAtrium, rightAtrium, walls, valves };
}

/** A valve's leaflet: a thin rod hinged at the ring, hanging into the ventricle when open. */
function leaflet(x: number, y: number, direction: number, open: number): Shape {
  const turn = mix(0.15, 1.25, open);
  const endX = x + direction * 16 * Math.cos(turn);
  const endY = y - 16 * Math.sin(turn);
  const middle = ellipse((x + endX) / 2, (y + endY) / 2, 8.5, 1.3, Math.atan2(endY - y, endX - x));
  return middle;
}

function grown(shape: Shape, margin: number): Shape {
  return { bounds: shape.bounds, depth: (x, y) => shape.depth(x, y) + margin };
}

function echoLevel(heart: Heart, x: number, y: number, texture: SmoothNoise): number {
  const surroundings = 0.2 + 0.1 * texture(x * 0.05, y * 0.05, 2);
  let level = surroundings;
  const outer = Math.max(...heart.walls.map((wall) => wall.depth(x, y)));
  level = mix(level, 0.46 + 0.1 * texture(x * 0.1, y * 0.1, 4), ramp(-1, 1.4, outer));
  const pericardium = bell(heart.leftVentricle.depth(x, y) + 14, 1.6) * ramp(18, 30, x);
  level += 0.5 * pericardium;
  const blood = Math.max(
    heart.leftVentricle.depth(x, y),
    heart.rightVentricle.depth(x, y),
    heart.leftAtrium.depth(x, y),
    heart.rightAtrium.depth(x, y),
  );
  level = mix(level, 0.035, ramp(-0.6, 1.6, blood));
  const valve = Math.max(...heart.valves.map((shape) => shape.depth(x, y)));
  return mix(level, 0.85, ramp(-0.9, 0.6, valve));
}

/** Speckle is fine along the beam and coarse across it, and it stays with the tissue. */
function speckleAt(grain: Grain, radius: number, angle: number, phase: number, level: number): number {
  const along = radius * 1.5;
  const across = angle * 150;
  const drift = level < 0.1 ? Math.round(phase * 977) : 0;
  const sample = (shift: number): number => {
    const row = Math.floor(along);
    const column = Math.floor(across);
    const u = across - column;
    const v = along - row;
    const top = mix(grain.at(column, row, shift), grain.at(column + 1, row, shift), u);
    const bottom = mix(grain.at(column, row + 1, shift), grain.at(column + 1, row + 1, shift), u);
    return mix(top, bottom, v);
  };
  return lengthOf(sample(drift), sample(drift + 8231)) ** 0.8 * 1.05;
}

function visitSector(
  echo: Echo,
  visit: (index: number, x: number, y: number, radius: number, angle: number) => void,
): void {
  const spacing = sectorSpacing(echo);
  for (let row = 0; row < echo.rows; row++) {
    const y = row * spacing - 4;
    for (let column = 0; column < echo.columns; column++) {
      const x = (column - (echo.columns - 1) / 2) * spacing;
      const angle = Math.atan2(x, y + APEX_MM);
      const radius = lengthOf(x, y + APEX_MM) - APEX_MM;
      if (radius < 0 || radius > SECTOR_DEPTH_MM || Math.abs(angle) > HALF_ANGLE) continue;
      visit(row * echo.columns + column, x, y, radius, angle);
    }
  }
}
