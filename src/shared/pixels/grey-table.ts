import type { LookupTable } from "./lookup-table.ts";
import type { PixelModule, Window } from "./pixel-module.ts";
import type { GreyFrame } from "./prepare-frame.ts";

/** How grey values are drawn: by a window, by the instance's VOI LUT, or from the lowest value to the highest. */
export type Voi = { kind: "window"; window: Window } | { kind: "table"; table: LookupTable };

export type ModalityModule = Pick<PixelModule, "rescale" | "modalityTable">;

/** A stored value in the modality's own unit, Hounsfield for CT (PS3.3 §C.11.1). */
export function modalityValue({ rescale, modalityTable }: ModalityModule, stored: number): number {
  if (modalityTable) return lookUp(modalityTable, stored);
  return stored * rescale.slope + rescale.intercept;
}

/** Values that lie closer together are seldom whole numbers: a window of them has no room for the 1 that LINEAR adds. */
const SMALL_RANGE = 16;

/** The window from the lowest to the highest value of a frame. */
export function fullWindow(frame: GreyFrame, modality: ModalityModule): Window {
  const ends = [frame.lowest, frame.highest].map((index) =>
    modalityValue(modality, frame.first + index * frame.step),
  );
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const range = high - low;
  if (range > 0 && range < SMALL_RANGE)
    return { center: (low + high) / 2, width: range, shape: "linearExact" };
  return { center: (low + high + 1) / 2, width: Math.max(1, range + 1) };
}

/** What the instance proposes, else its full range. */
export function proposedVoi(frame: GreyFrame, pixels: PixelModule): Voi {
  if (pixels.window) return { kind: "window", window: pixels.window };
  if (pixels.voiTable) return { kind: "table", table: pixels.voiTable };
  return { kind: "window", window: fullWindow(frame, pixels) };
}

/** Grey levels 0 to 255 for each index of a frame (PS3.4 §N.2: modality LUT, VOI LUT, inversion). */
export function greyTable(
  frame: Pick<GreyFrame, "first" | "step" | "levels">,
  modality: ModalityModule,
  voi: Voi,
  isInverted: boolean,
): Uint8Array {
  const { first, step, levels } = frame;
  const table = new Uint8Array(levels);
  const shade = shadeOf(voi);
  for (let index = 0; index < levels; index++) {
    const grey = shade(modalityValue(modality, first + index * step));
    const level = Math.min(255, Math.max(0, Math.round(grey * 255)));
    table[index] = isInverted ? 255 - level : level;
  }
  return table;
}

/** A value's share of white, below 0 or above 1 outside the window (PS3.3 §C.11.2.1). */
export function shadeOf(voi: Voi): (value: number) => number {
  return voi.kind === "window" ? windowShade(voi.window) : tableShade(voi.table);
}

function windowShade({ center, width, shape }: Window): (value: number) => number {
  if (shape === "sigmoid") return (value) => 1 / (1 + Math.exp((-4 * (value - center)) / width));
  if (shape === "linearExact") return (value) => (value - center) / width + 0.5;
  // A window of width 1 is a threshold.
  const span = Math.max(width - 1, 1e-6);
  return (value) => (value - (center - 0.5)) / span + 0.5;
}

function tableShade(table: LookupTable): (value: number) => number {
  const brightest = 2 ** table.bits - 1;
  return (value) => lookUp(table, value) / brightest;
}

function lookUp({ first, entries }: LookupTable, value: number): number {
  const place = Math.min(entries.length - 1, Math.max(0, Math.round(value) - first));
  return entries[place] ?? 0;
}
