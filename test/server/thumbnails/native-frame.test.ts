import { describe, expect, test } from "bun:test";
import { assertNative, nativeFrame } from "../../../src/server/features/thumbnails/worker/native-frame.ts";
import { decodeNative } from "../../../src/shared/pixels/decode-native.ts";
import type { DecodedFrame } from "../../../src/shared/pixels/decoded-frame.ts";
import { NoPicture } from "../../../src/shared/pixels/no-picture.ts";
import { type PixelModule, readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";

const EXPLICIT = "1.2.840.10008.1.2.1";

function pixelsOf(changes: Partial<PixelModule>): PixelModule {
  return { ...readPixelModule({}, 0), rows: 1, bitsAllocated: 16, bitsStored: 12, highBit: 11, ...changes };
}

/** One row of pixels. */
function frameOf(samples: DecodedFrame["samples"], samplesPerPixel = 1): DecodedFrame {
  return { rows: 1, columns: samples.length / samplesPerPixel, samplesPerPixel, samples };
}

function wordsOf(frame: DecodedFrame, changes: Partial<PixelModule>): number[] {
  const pixels = pixelsOf({ columns: frame.columns, ...changes });
  return Array.from(new Uint16Array(nativeFrame(frame, pixels, true).bytes.buffer));
}

describe("samples in cells", () => {
  test("keep their values, in cells as long as the data set says", () => {
    expect(wordsOf(frameOf(Uint8Array.of(0, 255)), {})).toEqual([0, 255]);
    expect(wordsOf(frameOf(Uint16Array.of(0, 4095, 65535)), {})).toEqual([0, 4095, 65535]);
    expect(wordsOf(frameOf(Int16Array.of(-1, 2047)), { isSigned: true })).toEqual([0xffff, 2047]);
  });

  test("of a codec that knows no sign get it, but for bits that hold something else", () => {
    const samples = Uint16Array.of(0x0fff, 0x0800, 0x07ff, 0x17ff);
    expect(wordsOf(frameOf(samples), { isSigned: true })).toEqual([0xffff, 0xf800, 0x07ff, 0x17ff]);
    expect(wordsOf(frameOf(samples), { isSigned: false })).toEqual(Array.from(samples));
  });

  test("that are words go into bytes if each has room", () => {
    const pixels = pixelsOf({ columns: 2, bitsAllocated: 8, bitsStored: 8, highBit: 7 });
    expect(Array.from(nativeFrame(frameOf(Uint16Array.of(1, 255)), pixels, true).bytes)).toEqual([1, 255]);
    expect(() => nativeFrame(frameOf(Uint16Array.of(1, 256)), pixels, true)).toThrow(NoPicture);
  });

  test.each([
    ["another size", { columns: 3 }],
    ["other colours", { columns: 2, samplesPerPixel: 3 }],
  ])("are refused if they are of %s", (_, changes) => {
    expect(() => nativeFrame(frameOf(Uint16Array.of(1, 2)), pixelsOf(changes), true)).toThrow(NoPicture);
  });

  test.each([
    ["too many", { rows: 8192, columns: 4096 }],
    ["bits", { columns: 8, bitsAllocated: 1 }],
    ["fractions", { columns: 2, bitsAllocated: 32, pixelDataAs: "float" as const }],
    ["four colours", { columns: 2, samplesPerPixel: 4 }],
  ])("are not decoded if they are %s", (_, changes) => {
    expect(() => assertNative(pixelsOf(changes))).toThrow(NoPicture);
  });
});

describe("colours", () => {
  const rgb = Uint8Array.of(255, 0, 0, 255, 0, 0, 0, 0, 255, 10, 200, 30);
  const eight = { columns: 4, samplesPerPixel: 3, bitsAllocated: 8, bitsStored: 8, highBit: 7 };
  const asked = (photometricInterpretation: string, asDescribed: boolean, isRgb = true) => {
    const pixels = pixelsOf({ ...eight, photometricInterpretation });
    return { pixels, ...nativeFrame({ ...frameOf(rgb, 3), isRgb }, pixels, asDescribed) };
  };

  test.each(["RGB", "YBR_FULL", "YBR_FULL_422", "YBR_RCT", "YBR_ICT"])(
    "of a file are those of the codec, and are called so: %s",
    (named) => {
      const { bytes, photometricInterpretation } = asked(named, false);
      expect(photometricInterpretation).toBe("RGB");
      expect(bytes).toEqual(rgb);
    },
  );

  test.each(["YBR_RCT", "YBR_ICT"])("that only a code stream has are red, green and blue: %s", (named) => {
    expect(asked(named, true).bytes).toEqual(rgb);
    expect(() => asked(named, true, false)).toThrow(NoPicture);
  });

  test("of a frame are those that the metadata name", () => {
    const { bytes } = asked("YBR_FULL", true);
    expect(Array.from(bytes)).toEqual([76, 85, 255, 76, 85, 255, 29, 255, 107, 124, 75, 47]);
    const half = asked("YBR_FULL_422", true);
    expect(Array.from(half.bytes)).toEqual([76, 76, 85, 255, 29, 124, 165, 77]);
    // As every reader of native pixel data spreads them.
    const { samples } = decodeNative(half.bytes, half.pixels, EXPLICIT);
    expect(Array.from(samples)).toEqual([76, 85, 255, 76, 85, 255, 29, 165, 77, 124, 165, 77]);
  });

  test("that a codec leaves as they are keep their name, at full resolution in a file", () => {
    expect(asked("YBR_FULL", false, false)).toMatchObject({
      bytes: rgb,
      photometricInterpretation: "YBR_FULL",
    });
    expect(asked("YBR_FULL_422", false, false).photometricInterpretation).toBe("YBR_FULL");
    expect(asked("YBR_FULL_422", true, false).bytes.length).toBe(8);
  });

  test("of a frame lie as the metadata say, of a file by pixel", () => {
    const pixels = pixelsOf({ ...eight, photometricInterpretation: "RGB", isPlanar: true });
    const bytesOf = (asDescribed: boolean) =>
      Array.from(nativeFrame({ ...frameOf(rgb, 3), isRgb: true }, pixels, asDescribed).bytes);
    expect(bytesOf(true)).toEqual([255, 255, 0, 10, 0, 0, 0, 200, 0, 0, 255, 30]);
    expect(bytesOf(false)).toEqual(Array.from(rgb));
    const words = frameOf(
      Uint16Array.from(rgb, (value) => value * 16),
      3,
    );
    const wide = { ...pixels, bitsAllocated: 16, bitsStored: 12, highBit: 11 };
    const planes = nativeFrame(words, wide, true).bytes;
    expect(Array.from(new Uint16Array(planes.buffer).subarray(0, 4))).toEqual([4080, 4080, 0, 160]);
  });

  test("that a codec leaves at full resolution have no name of partial ones", () => {
    expect(() => asked("YBR_PARTIAL_422", false, false)).toThrow(NoPicture);
    expect(() => asked("YBR_PARTIAL_420", true, false)).toThrow(NoPicture);
  });

  test("can't be shared by two of an odd number of pixels", () => {
    const pixels = pixelsOf({ ...eight, columns: 3, photometricInterpretation: "YBR_FULL_422" });
    const frame = { ...frameOf(rgb.slice(0, 9), 3), isRgb: true };
    expect(() => nativeFrame(frame, pixels, true)).toThrow(NoPicture);
  });
});
