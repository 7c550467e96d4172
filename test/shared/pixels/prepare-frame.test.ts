import { describe, expect, test } from "bun:test";
import type { DecodedFrame } from "../../../src/shared/pixels/decoded-frame.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { type PreparedFrame, preparedBytes, prepareFrame } from "../../../src/shared/pixels/prepare-frame.ts";
import { copyIntoOne } from "../../../src/shared/pixels/wasm-codec.ts";

const pixels = { ...readPixelModule({}, 0), rows: 2, columns: 3, bitsAllocated: 16, highBit: 15 };
const table = { first: 0, bits: 8, entries: [9, 8, 7, 6, 5, 4, 3] };
const colours = { ...pixels, bitsAllocated: 8, bitsStored: 8, highBit: 7 };
const grey: DecodedFrame = {
  rows: 2,
  columns: 3,
  samplesPerPixel: 1,
  samples: new Uint16Array([0, 1, 2, 3, 4, 5]),
};
const three = Uint8Array.from({ length: 18 }, (_, i) => i);
const bufferOf = (frame: PreparedFrame) => (frame.kind === "grey" ? frame.indexes : frame.bytes).buffer;

describe("a frame is prepared in memory that held another", () => {
  test.each([
    ["grey of 16 bits", grey, { ...pixels, bitsStored: 16 }],
    ["grey of 8 bits", { ...grey, samples: new Uint8Array([5, 4, 3, 2, 1, 0]) }, colours],
    [
      "values with fractions",
      { ...grey, samples: new Float32Array([0, 0.5, 1, 2, 3, 9]) },
      { ...pixels, bitsStored: 32 },
    ],
    [
      "a palette",
      grey,
      {
        ...colours,
        photometricInterpretation: "PALETTE COLOR",
        palette: [table, table, table] as [typeof table, typeof table, typeof table],
      },
    ],
    [
      "colours",
      { ...grey, samplesPerPixel: 3, samples: three, isRgb: true },
      { ...colours, samplesPerPixel: 3, photometricInterpretation: "RGB" },
    ],
  ])("%s", (_, frame, module) => {
    const used = new Uint8Array(preparedBytes(module)).fill(171).buffer;
    const prepared = prepareFrame(frame, module, used);
    expect(prepared).toEqual(prepareFrame(frame, module));
    expect(bufferOf(prepared)).toBe(used);
  });

  test("unless that has another size", () => {
    const module = { ...pixels, bitsStored: 16 };
    const other = new ArrayBuffer(100);
    const prepared = prepareFrame(grey, module, other);
    expect(prepared).toEqual(prepareFrame(grey, module));
    expect(bufferOf(prepared)).not.toBe(other);
  });
});

test("values of more than 16 bits are those of the stored bits, whatever the others hold", () => {
  const samples = Int32Array.of(0x7ff_ffff, 0x300_0005, 0x07_ffff, 0x108_0000, 0, 1);
  const module = { ...pixels, bitsAllocated: 32, bitsStored: 20, highBit: 19 };
  const valuesOf = (isSigned: boolean) => {
    const prepared = prepareFrame({ ...grey, samples }, { ...module, isSigned });
    if (prepared.kind !== "grey") throw new Error("colours");
    const { indexes, first, step } = prepared;
    return [...indexes].map((index) => Math.round((first + index * step) / 64) * 64 + 0);
  };
  expect(valuesOf(true)).toEqual([0, 0, 524_288, -524_288, 0, 0]);
  expect(valuesOf(false)).toEqual([1_048_576, 0, 524_288, 524_288, 0, 0]);
});

describe("values with fractions", () => {
  const module = { ...pixels, bitsStored: 32 };
  const spread = (samples: number[], padding?: { from: number; to: number }) => {
    const frame = prepareFrame({ ...grey, samples: new Float32Array(samples) }, { ...module, padding });
    if (frame.kind !== "grey") throw new Error("colours");
    const { indexes, lowest, highest, first, step } = frame;
    return [...indexes].map((index) => (index < lowest || index > highest ? "none" : first + index * step));
  };
  const near = (values: (number | "none")[]) =>
    values.map((value) => (value === "none" ? value : expect.closeTo(value, 3)));

  test("are all of them values where each is a number of the image", () => {
    expect(spread([0, 0.5, 1, 2, 3, 9])).toEqual(near([0, 0.5, 1, 2, 3, 9]));
    expect(spread([2, 2, 2, 2, 2, 2])).toEqual(near([2, 2, 2, 2, 2, 2]));
  });

  test("are told from padding and from what is no number", () => {
    const { NaN: no, POSITIVE_INFINITY: over, NEGATIVE_INFINITY: under } = Number;
    expect(spread([no, 0.5, over, under, 3, 9])).toEqual(near(["none", 0.5, "none", "none", 3, 9]));
    const padding = { from: -1_000, to: -999 };
    expect(spread([-1_000, 0.5, 1, 2, -999, 9], padding)).toEqual(near(["none", 0.5, 1, 2, "none", 9]));
    expect(spread([0, -5, 0, 2, 3, 9], { from: 0, to: 0 })).toEqual(near(["none", -5, "none", 2, 3, 9]));
    expect(spread([no, 4, 4, 4, over, 4])).toEqual(near(["none", 4, 4, 4, "none", 4]));
    expect(spread([no, no, no, no, no, no])).toEqual(near(Array(6).fill("none")));
  });
});

test("decoded bytes of one size are copied into one memory, and large ones into their own", () => {
  const copy = copyIntoOne();
  const first = copy(new Uint8Array([1, 2, 3]));
  expect(copy(new Uint8Array([4, 5, 6])).buffer).toBe(first.buffer);
  expect([...first]).toEqual([4, 5, 6]);
  expect(copy(new Uint8Array([7, 8])).buffer.byteLength).toBe(2);
  const large = copy(new Uint8Array(5 * 1024 * 1024));
  expect(copy(new Uint8Array(5 * 1024 * 1024)).buffer).not.toBe(large.buffer);
});
