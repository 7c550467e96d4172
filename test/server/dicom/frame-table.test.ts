import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { inflateInstance } from "../../../src/server/dicom/bulk-data.ts";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { writeInstance } from "../../../src/server/dicom/write-instance.ts";
import { assembleFrame, locateFrame } from "../../../src/shared/dicom/reading/cut-frame.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { cutFrame } from "../../support/dicom/cut-frame.ts";
import {
  DEFLATED,
  JPEG_BASELINE,
  readTaken,
  sampleFile,
  sampleWithout,
} from "../../support/dicom/dicom-sample.ts";

function image(frames: number, rows: number, columns: number, more: DicomElements = {}): DicomElements {
  return {
    "00280008": { vr: "IS", Value: [frames] },
    "00280010": { vr: "US", Value: [rows] },
    "00280011": { vr: "US", Value: [columns] },
    ...more,
  };
}

function framesOf(file: Uint8Array): Uint8Array[] {
  const { frames } = readTaken(file);
  if (frames.kind === "none") return [];
  return Array.from({ length: frames.frameCount }, (_, i) => cutFrame(file, frames, i) ?? new Uint8Array(0));
}

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => i);

describe("native frames", () => {
  test("are cut one after the other", () => {
    const file = sampleFile(image(3, 2, 2, { "7FE00010": { vr: "OW", bytes: bytes(24) } }));
    expect(framesOf(file)).toEqual([bytes(24).slice(0, 8), bytes(24).slice(8, 16), bytes(24).slice(16)]);
  });

  test("count every sample of a colour pixel", () => {
    const colour: DicomElements = {
      "00280002": { vr: "US", Value: [3] },
      "00280004": { vr: "CS", Value: ["RGB"] },
      "00280006": { vr: "US", Value: [1] },
      "00280100": { vr: "US", Value: [8] },
      "7FE00010": { vr: "OB", bytes: bytes(24) },
    };
    expect(readTaken(sampleFile(image(2, 2, 2, colour))).frames).toMatchObject({
      frameCount: 2,
      frameBytes: 12,
    });
  });

  test("of subsampled colour have two samples a pixel, unless they were stored in full", () => {
    const subsampled = (length: number): DicomElements => ({
      "00280002": { vr: "US", Value: [3] },
      "00280004": { vr: "CS", Value: ["YBR_FULL_422"] },
      "00280100": { vr: "US", Value: [8] },
      "7FE00010": { vr: "OB", bytes: bytes(length) },
    });
    expect(readTaken(sampleFile(image(2, 2, 2, subsampled(16)))).frames).toMatchObject({ frameBytes: 8 });
    expect(readTaken(sampleFile(image(2, 2, 2, subsampled(24)))).frames).toMatchObject({ frameBytes: 12 });
  });

  test.each([
    ["00280010", -2],
    ["00280011", -1],
    ["00280002", -1],
    ["00280100", -16],
  ])("of fewer pixels or bits than none (%s) are one", (tag, value) => {
    const elements = { "7FE00010": { vr: "OW", bytes: bytes(24) }, [tag]: { vr: "IS", Value: [value] } };
    const file = sampleFile(image(3, 2, 2, elements));
    expect(readTaken(file).frames).toMatchObject({ frameCount: 1, frameBytes: 24 });
  });

  test.each([
    ["7FE00008", "OF", 32],
    ["7FE00009", "OD", 64],
  ])("of floating point (%s) are found", (tag, vr, bits) => {
    const elements = {
      ...sampleWithout("7FE00010", "00280100"),
      [tag]: { vr, bytes: bytes((4 * bits) / 8) },
    };
    const file = writeInstance({ transferSyntaxUID: "1.2.840.10008.1.2.1", elements });
    expect(readTaken(file).frames).toMatchObject({ kind: "native", frameCount: 1, frameBytes: bits / 2 });
    expect(readTaken(file).metadata[tag]?.BulkDataURI).toBeDefined();
  });

  test("that are missing from the pixel data are not in the table", () => {
    const pixels = { "7FE00010": { vr: "OW", bytes: bytes(20) } };
    expect(readTaken(sampleFile(image(99, 2, 2, pixels))).frames).toMatchObject({ frameCount: 2 });
    expect(framesOf(sampleFile(image(1, 9, 9, pixels)))).toEqual([bytes(20)]);
    const none = writeInstance({
      transferSyntaxUID: "1.2.840.10008.1.2.1",
      elements: sampleWithout("7FE00010"),
    });
    expect(readTaken(none).frames).toEqual({ kind: "none" });
  });

  test("of a deflated instance are cut from the inflated file", () => {
    const elements = image(2, 2, 2, { "7FE00010": { vr: "OW", bytes: bytes(16) } });
    const file = sampleFile(elements, { transferSyntaxUID: DEFLATED });
    const { frames } = readTaken(file);
    expect(frames).toMatchObject({ deflated: true });
    const inflated = inflateInstance(memorySource(file));
    const [range = [0, 0]] = locateFrame(frames, 1)?.ranges ?? [];
    expect(inflated?.read(...range)).toEqual(bytes(16).slice(8));
  });

  test("of one bit a pixel begin on a byte, at any position", () => {
    const shapes = fc.record({
      frames: fc.integer({ min: 1, max: 9 }),
      rows: fc.integer({ min: 1, max: 9 }),
      columns: fc.integer({ min: 1, max: 9 }),
      seed: fc.uint8Array({ minLength: 100, maxLength: 100 }),
    });
    fc.assert(
      fc.property(shapes, ({ frames, rows, columns, seed }) => {
        const bitAt = (i: number) => ((seed[(i >> 3) % 100] ?? 0) >> (i & 7)) & 1;
        const frameBits = rows * columns;
        const packed = new Uint8Array(Math.ceil((frames * frameBits) / 8));
        for (let i = 0; i < frames * frameBits; i += 1)
          packed[i >> 3] = (packed[i >> 3] ?? 0) | (bitAt(i) << (i & 7));
        const one = { "00280100": { vr: "US", Value: [1] }, "7FE00010": { vr: "OB", bytes: packed } };
        const cut = framesOf(sampleFile(image(frames, rows, columns, one)));
        expect(cut).toHaveLength(frames);
        cut.forEach((frame, index) => {
          expect(frame).toHaveLength(Math.ceil(frameBits / 8));
          for (let i = 0; i < frame.length * 8; i += 1) {
            const expected = i < frameBits ? bitAt(index * frameBits + i) : 0;
            expect(((frame[i >> 3] ?? 0) >> (i & 7)) & 1).toBe(expected);
          }
        });
      }),
      { numRuns: 50 },
    );
  });
});

describe("encapsulated frames", () => {
  const jpeg = (fill: number) => Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, ...Array(8).fill(fill)]);
  const rest = (fill: number) => new Uint8Array(6).fill(fill);
  const options = { transferSyntaxUID: JPEG_BASELINE };
  const encapsulated = (
    frames: number,
    fragments: Uint8Array[],
    more: DicomElements = {},
    offsetTable?: number[],
  ) =>
    sampleFile(
      {
        ...image(frames, 2, 2),
        ...more,
        "7FE00010": { vr: "OB", fragments, ...(offsetTable ? { offsetTable } : {}) },
      },
      options,
    );
  const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
  const cut = (file: Uint8Array) => framesOf(file).map((frame) => new Uint8Array(frame));

  test("of one frame are all fragments, whatever the table says", () => {
    for (const offsetTable of [undefined, [0], [4], [0, 20]]) {
      expect(cut(encapsulated(1, [jpeg(1), rest(2)], {}, offsetTable))).toEqual([joined(jpeg(1), rest(2))]);
    }
  });

  test("follow the Basic Offset Table if it fits", () => {
    const file = encapsulated(2, [rest(1), rest(2), rest(3)], {}, [0, 14]);
    expect(cut(file)).toEqual([rest(1), joined(rest(2), rest(3))]);
  });

  test("follow the Extended Offset Table first, without the padding", () => {
    const extended: DicomElements = {
      "7FE00001": { vr: "OV", bytes: new Uint8Array(new BigUint64Array([0n, 14n]).buffer) },
      "7FE00002": { vr: "OV", bytes: new Uint8Array(new BigUint64Array([6n, 5n]).buffer) },
    };
    expect(cut(encapsulated(2, [rest(1), rest(2)], extended))).toEqual([rest(1), rest(2).slice(1)]);
  });

  test("do not follow an Extended Offset Table that leads outside", () => {
    const extended: DicomElements = {
      "7FE00001": { vr: "OV", bytes: new Uint8Array(new BigUint64Array([0n, 14n]).buffer) },
      "7FE00002": { vr: "OV", bytes: new Uint8Array(new BigUint64Array([6n, 5_000_000n]).buffer) },
    };
    expect(cut(encapsulated(2, [rest(1), rest(2)], extended))).toEqual([rest(1), rest(2)]);
  });

  test("are the fragments if there is one for each frame", () => {
    expect(cut(encapsulated(2, [rest(1), rest(2)], {}, [0, 999]))).toEqual([rest(1), rest(2)]);
  });

  test("begin at the starts of code streams if nothing else locates them", () => {
    const file = encapsulated(2, [jpeg(1), rest(2), jpeg(3), rest(4), rest(5)]);
    expect(cut(file)).toEqual([joined(jpeg(1), rest(2)), joined(jpeg(3), rest(4), rest(5))]);
  });

  test("of a video are one stream", () => {
    const elements = { ...image(100, 2, 2), "7FE00010": { vr: "OB", fragments: [rest(1), rest(2)] } };
    const file = sampleFile(elements, { transferSyntaxUID: "1.2.840.10008.1.2.4.102" });
    expect(cut(file)).toEqual([joined(rest(1), rest(2))]);
  });

  test("are none without fragments", () => {
    expect(readTaken(encapsulated(1, [])).frames).toEqual({ kind: "none" });
  });
});

test("a frame outside the table is not found", () => {
  const { frames } = readTaken(sampleFile());
  for (const frameIndex of [-1, 1, 0.5, Number.NaN]) expect(locateFrame(frames, frameIndex)).toBeUndefined();
  expect(locateFrame({ kind: "none" }, 0)).toBeUndefined();
});

test("a frame of one range is not copied", () => {
  const part = bytes(8);
  expect(assembleFrame(part, 0, { ranges: [[0, 8]] })).toBe(part);
});
