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

test("decoded bytes of one size are copied into one memory, and large ones into their own", () => {
  const copy = copyIntoOne();
  const first = copy(new Uint8Array([1, 2, 3]));
  expect(copy(new Uint8Array([4, 5, 6])).buffer).toBe(first.buffer);
  expect([...first]).toEqual([4, 5, 6]);
  expect(copy(new Uint8Array([7, 8])).buffer.byteLength).toBe(2);
  const large = copy(new Uint8Array(5 * 1024 * 1024));
  expect(copy(new Uint8Array(5 * 1024 * 1024)).buffer).not.toBe(large.buffer);
});
