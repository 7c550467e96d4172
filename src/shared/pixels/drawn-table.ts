import { greyTable, type Voi } from "./grey-table.ts";
import type { PixelModule } from "./pixel-module.ts";
import type { GreyFrame } from "./prepare-frame.ts";
import { paletteLevel } from "./read-colour.ts";

type Values = Pick<GreyFrame, "first" | "step" | "levels">;

/**
 * What each index of a frame is drawn as: `[levels]` grey, or `[levels, 3]` red, green and blue where values from one on are colours
 * (PS3.3 §C.8.16.2.1.1.1). Neither the window nor an inversion changes those.
 */
export function drawnTable(frame: Values, pixels: PixelModule, voi: Voi, isInverted: boolean): Uint8Array {
  const grey = greyTable(frame, pixels, voi, isInverted);
  const { supplement } = pixels;
  if (!supplement || frame.step !== 1) return grey;
  const [{ first }] = supplement;
  const table = new Uint8Array(frame.levels * 3);
  for (let index = 0; index < frame.levels; index++) {
    const value = frame.first + index;
    for (const [c, levels] of supplement.entries())
      table[index * 3 + c] = value < first ? (grey[index] ?? 0) : Math.round(paletteLevel(levels, value));
  }
  return table;
}

/** Whether a table of {@link drawnTable} has colours. */
export function hasColours(table: Uint8Array, { levels }: Pick<Values, "levels">): boolean {
  return table.length > levels;
}
