import { expect, test } from "bun:test";
import { createPaint } from "../../../src/client/visor/draw/paint.ts";
import type { Picture } from "../../../src/client/visor/draw/picture.ts";

const grey = {
  kind: "grey",
  rows: 1,
  columns: 2,
  first: 0,
  step: 1,
  levels: 4,
  lowest: 0,
  highest: 3,
} as const;
const table = Uint8Array.of(0, 85, 170, 255);

/** Red, green, blue and opacity of each pixel. */
function paintedBy(paint: ReturnType<typeof createPaint>, picture: Picture): number[] {
  const words = new Uint32Array(picture.frame.rows * picture.frame.columns);
  paint(picture, words);
  return [...new Uint8Array(words.buffer)];
}

test("grey slices have the levels of their table, whichever was painted before", () => {
  const paint = createPaint();
  const small = { ...grey, indexes: Uint8Array.of(1, 3) };
  const wide = { ...grey, indexes: Uint16Array.of(2, 0) };
  const inverted = table.toReversed();
  expect(paintedBy(paint, { frame: small, table, isInverted: false })).toEqual([
    ...[85, 85, 85, 255],
    ...[255, 255, 255, 255],
  ]);
  expect(paintedBy(paint, { frame: wide, table, isInverted: false })).toEqual([
    ...[170, 170, 170, 255],
    ...[0, 0, 0, 255],
  ]);
  expect(paintedBy(paint, { frame: wide, table: inverted, isInverted: true })).toEqual([
    ...[85, 85, 85, 255],
    ...[255, 255, 255, 255],
  ]);
});

test("values with colours of their own are painted in them", () => {
  const frame = { ...grey, indexes: Uint8Array.of(1, 3) };
  const colours = Uint8Array.of(...[0, 0, 0], ...[85, 85, 85], ...[170, 170, 170], ...[200, 30, 7]);
  expect(paintedBy(createPaint(), { frame, table: colours, isInverted: true })).toEqual([
    ...[85, 85, 85, 255],
    ...[200, 30, 7, 255],
  ]);
});

test("colours keep their order, and are turned where the person inverts", () => {
  const paint = createPaint();
  const bytes = Uint8Array.of(250, 10, 1, 0, 255, 128);
  const frame = { kind: "colour", rows: 1, columns: 2, bytes } as const;
  const none = new Uint8Array();
  expect(paintedBy(paint, { frame, table: none, isInverted: false })).toEqual([
    ...[250, 10, 1, 255],
    ...[0, 255, 128, 255],
  ]);
  expect(paintedBy(paint, { frame, table: none, isInverted: true })).toEqual([
    ...[5, 245, 254, 255],
    ...[255, 0, 127, 255],
  ]);
});

test("an index that the table does not have is black", () => {
  const frame = { ...grey, indexes: Uint8Array.of(9, 1) };
  expect(paintedBy(createPaint(), { frame, table, isInverted: false })).toEqual([
    ...[0, 0, 0, 255],
    ...[85, 85, 85, 255],
  ]);
});
