import { expect, test } from "bun:test";
import { reduceFrame } from "../../../src/client/visor/draw/reduce-frame.ts";

const grey = { kind: "grey", first: 0, step: 1, levels: 16, lowest: 0, highest: 15 } as const;

test("a picture over the graphics' limit keeps every second pixel of every second row", () => {
  const indexes = Uint16Array.from({ length: 20 }, (_, at) => at);
  const reduced = reduceFrame({ ...grey, rows: 4, columns: 5, indexes }, 3);
  expect(reduced).toMatchObject({ rows: 2, columns: 3, indexes: Uint16Array.of(0, 2, 4, 10, 12, 14) });
  const bytes = Uint8Array.from({ length: 12 }, (_, at) => at);
  const colours = reduceFrame({ kind: "colour", rows: 1, columns: 4, bytes }, 2);
  expect(colours).toMatchObject({ rows: 1, columns: 2, bytes: Uint8Array.of(0, 1, 2, 6, 7, 8) });
});

test("a picture that fits is left alone", () => {
  const frame = { ...grey, rows: 2, columns: 2, indexes: new Uint8Array(4) };
  expect(reduceFrame(frame, 2)).toBe(frame);
});
