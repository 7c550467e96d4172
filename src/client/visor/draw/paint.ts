import { hasColours } from "../../../shared/pixels/drawn-table.ts";
import type { ColourFrame, GreyFrame } from "../../../shared/pixels/prepare-frame.ts";
import type { Picture } from "./picture.ts";

const OPAQUE = 0xff << 24;

/**
 * Paints a picture at its own size.
 * @param words `[rows, columns]`: blue, green and red above each other under full opacity, as canvases keep pixels in their memory
 */
export type Paint = (picture: Picture, words: Uint32Array) => void;

/** Slices of a stack share their table of grey levels, so its colours are worked out once. */
export function createPaint(): Paint {
  let kept: { table: Uint8Array; shades: Uint32Array } | undefined;
  const shadesOf = (table: Uint8Array, frame: GreyFrame) => {
    if (kept?.table !== table) kept = { table, shades: shadesFrom(table, hasColours(table, frame)) };
    return kept.shades;
  };
  return ({ frame, table, isInverted }, words) => {
    if (frame.kind === "colour") paintColours(frame, isInverted, words);
    else paintGrey(frame, shadesOf(table, frame), words);
  };
}

function shadesFrom(table: Uint8Array, areColours: boolean): Uint32Array {
  if (areColours) {
    const of = (at: number) => table[at] ?? 0;
    return Uint32Array.from(
      { length: table.length / 3 },
      (_, at) => OPAQUE | (of(at * 3 + 2) << 16) | (of(at * 3 + 1) << 8) | of(at * 3),
    );
  }
  const shades = new Uint32Array(table.length);
  for (let index = 0; index < shades.length; index++)
    shades[index] = OPAQUE | ((table[index] ?? 0) * 0x010101);
  return shades;
}

function paintGrey({ rows, columns, indexes }: GreyFrame, shades: Uint32Array, words: Uint32Array): void {
  const count = rows * columns;
  for (let at = 0; at < count; at++) words[at] = shades[indexes[at] ?? 0] ?? OPAQUE;
}

function paintColours({ rows, columns, bytes }: ColourFrame, isInverted: boolean, words: Uint32Array): void {
  const turn = isInverted ? 0xffffff : 0;
  const count = rows * columns;
  for (let at = 0; at < count; at++) {
    const [red, green, blue] = [bytes[at * 3] ?? 0, bytes[at * 3 + 1] ?? 0, bytes[at * 3 + 2] ?? 0];
    words[at] = OPAQUE | (((blue << 16) | (green << 8) | red) ^ turn);
  }
}
