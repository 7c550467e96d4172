import { expect, test } from "bun:test";
import { encodeGif } from "../../../src/server/features/thumbnails/worker/encode-gif.ts";
import { encodePicture } from "../../../src/server/features/thumbnails/worker/encode-picture.ts";
import { readPng } from "../../../src/server/features/thumbnails/worker/read-png.ts";

const GREYS = Uint8Array.from({ length: 768 }, (_, at) => Math.floor(at / 3));

/** Levels that repeat little, so that the table of codes fills up again and again. */
function noise(length: number): Uint8Array {
  let state = 7;
  return Uint8Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state >> 8;
  });
}

test.each([
  ["one pixel", 1, 1],
  ["as many codes as fit into nine bits", 254, 1],
  ["several tables of codes", 131, 97],
])("a GIF has its pixels: %s", async (_, width, height) => {
  const indexes = noise(width * height);
  const gif = encodeGif({ width, height, palette: GREYS, indexes });
  const back = readPng(await new Bun.Image(gif).png().bytes());
  expect([back.width, back.height]).toEqual([width, height]);
  expect(indexes.every((level, at) => back.values[at * back.channels] === level)).toBe(true);
});

test("a picture in colours keeps them in a GIF of few colours, nearly in one of many", async () => {
  const [rows, columns] = [32, 32];
  const picture = async (values: Float32Array) => {
    const box = { width: columns, height: rows, enlarges: false };
    const drawing = { type: "gif", quality: 90 } as const;
    const gif = await encodePicture({ rows, columns, channels: 3, values }, { box, pixelAspect: 1, drawing });
    const { values: back } = readPng(await new Bun.Image(gif).png().bytes());
    // The fourth channel is opacity.
    return Float32Array.from(values, (_, at) => back[at + Math.floor(at / 3)] ?? Number.NaN);
  };
  const few = Float32Array.from({ length: rows * columns * 3 }, (_, at) => (at % 3) * 100);
  expect(await picture(few)).toEqual(few);
  const many = Float32Array.from({ length: rows * columns * 3 }, (_, at) => (at * 7) % 256);
  const drawn = await picture(many);
  const errors = many.map((value, at) => Math.abs(value - (drawn[at] ?? Number.NaN)));
  expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(8);
});
