import { describe, expect, test } from "bun:test";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { TransferSyntax } from "../../../src/shared/dicom/transfer-syntax.ts";
import { decodeNative } from "../../../src/shared/pixels/decode-native.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { prepareFrame } from "../../../src/shared/pixels/prepare-frame.ts";

const us = (...Value: number[]) => ({ vr: "US", Value });
const ds = (value: number) => ({ vr: "DS", Value: [value] });
const pair = (...Value: [number, number]) => ({ vr: "DS", Value });
const tableFrom = (first: number): DicomJson => ({
  [TagHex.LUTDescriptor]: us(4, first, 8),
  [TagHex.LUTData]: us(0, 1, 2, 3),
});
const sequence = (item: DicomJson) => ({ vr: "SQ", Value: [item] });
const signed = { [TagHex.PixelRepresentation]: us(1) };
const wide = { [TagHex.BitsAllocated]: us(16), [TagHex.BitsStored]: us(16) };

/* PS3.3 §C.11.2.1.1 */
test.each<[string, DicomJson, number, number]>([
  ["negative where stored values are", { ...wide, ...signed }, 0xfe00, -512],
  ["negative where rescaled values are", { ...wide, [TagHex.RescaleIntercept]: ds(-1024) }, 0xfc00, -1024],
  ["as it is where no value is so low", { ...wide, [TagHex.RescaleIntercept]: ds(-1024) }, 40_000, 40_000],
  ["as it is where no value is negative", wide, 0xfe00, 0xfe00],
])("the first value of a VOI LUT that is written without a sign is %s", (_, described, written, first) => {
  const table = sequence(tableFrom(written));
  const pixels = readPixelModule({ ...described, [TagHex.VOILUTSequence]: table }, 0);
  expect(pixels.voiTable?.first).toBe(first);
});

test("the first value of a modality LUT and of a palette has the sign of the pixels", () => {
  const byte = { [TagHex.BitsAllocated]: us(8), [TagHex.BitsStored]: us(8) };
  const colours = Object.fromEntries(
    (["Red", "Green", "Blue"] as const).flatMap((colour) => [
      [TagHex[`${colour}PaletteColorLookupTableDescriptor`], us(4, 0xff80, 8)],
      [TagHex[`${colour}PaletteColorLookupTableData`], us(0, 1, 2, 3)],
    ]),
  );
  const described = {
    ...byte,
    ...colours,
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["PALETTE COLOR"] },
    [TagHex.ModalityLUTSequence]: sequence(tableFrom(0xff80)),
  };
  const firsts = (metadata: DicomJson) => {
    const { modalityTable, palette } = readPixelModule(metadata, 0);
    return [modalityTable, ...(palette ?? [])].map((table) => table?.first);
  };
  expect(firsts({ ...described, ...signed })).toEqual([-128, -128, -128, -128]);
  expect(firsts(described)).toEqual([0xff80, 0xff80, 0xff80, 0xff80]);
});

test("a table whose entries have more bits than it declares is not cut off at white", () => {
  const item = { [TagHex.LUTDescriptor]: us(4, 0, 8), [TagHex.LUTData]: us(0, 0x4000, 0x8000, 0xff00) };
  const { voiTable } = readPixelModule({ ...wide, [TagHex.VOILUTSequence]: sequence(item) }, 0);
  expect(voiTable?.bits).toBe(16);
  const narrow = { ...item, [TagHex.LUTData]: us(0, 85, 170, 255) };
  expect(readPixelModule({ ...wide, [TagHex.VOILUTSequence]: sequence(narrow) }, 0).voiTable?.bits).toBe(8);
});

test("the padding of signed pixels is known by its value without a sign, too", () => {
  const padded = { ...wide, [TagHex.PixelPaddingValue]: us(63_536) };
  expect(readPixelModule({ ...padded, ...signed }, 0).padding).toEqual({ from: -2_000, to: -2_000 });
  expect(readPixelModule(padded, 0).padding).toEqual({ from: 63_536, to: 63_536 });
});

test.each([
  ["SIGMOID", "sigmoid"],
  ["LINEAR_EXACT", "linearExact"],
  ["LINEAR", "linear"],
  ["constructor", "linear"],
  ["__proto__", "linear"],
] as const)("a window whose function is %s is %s", (written, shape) => {
  const voi = { [TagHex.WindowCenter]: ds(40), [TagHex.WindowWidth]: ds(400) };
  const described = { ...wide, ...voi, [TagHex.VOILUTFunction]: { vr: "CS", Value: [written] } };
  expect(readPixelModule(described, 0).window).toMatchObject({ center: 40, width: 400, shape });
});

/* PS3.3 §C.7.6.24 and §C.7.6.25 have no Bits Allocated of their own. */
test.each([
  ["Float Pixel Data", TagHex.FloatPixelData, "OF", 32, Float32Array],
  ["Double Float Pixel Data", TagHex.DoubleFloatPixelData, "OD", 64, Float64Array],
] as const)(
  "%s have the width of their numbers, whether Bits Allocated says it or not",
  (_, tag, vr, bits, Samples) => {
    const described = {
      [TagHex.Rows]: us(1),
      [TagHex.Columns]: us(2),
      [tag]: { vr, BulkDataURI: "frames/1" },
    };
    const bytes = new Uint8Array(Samples.of(0.25, -0.5).buffer);
    for (const said of [
      {},
      { [TagHex.BitsAllocated]: us(16), [TagHex.BitsStored]: us(8) },
      { [TagHex.BitsAllocated]: us(bits) },
    ]) {
      const pixels = readPixelModule({ ...described, ...said }, 0);
      expect(pixels).toMatchObject({
        bitsAllocated: bits,
        bitsStored: bits,
        pixelDataAs: bits === 32 ? "float" : "double",
      });
      expect([...decodeNative(bytes, pixels, TransferSyntax.explicitLittleEndian).samples]).toEqual([
        0.25, -0.5,
      ]);
    }
  },
);

describe("the padding of numbers with fractions", () => {
  const LOWEST = Math.fround(-1e30);
  const described = { [TagHex.FloatPixelData]: { vr: "OF", BulkDataURI: "frames/1" } };
  const padded = {
    ...described,
    ...{ [TagHex.Rows]: us(1), [TagHex.Columns]: us(4) },
    [TagHex.FloatPixelPaddingValue]: { vr: "FL", Value: [LOWEST] },
    [TagHex.FloatPixelPaddingRangeLimit]: { vr: "FL", Value: [-1e20] },
  };

  test("is that of their kind", () => {
    expect(readPixelModule(padded, 0).padding).toEqual({ from: LOWEST, to: -1e20 });
    const asDouble = {
      [TagHex.DoubleFloatPixelData]: { vr: "OD", BulkDataURI: "frames/1" },
      [TagHex.DoubleFloatPixelPaddingValue]: { vr: "FD", Value: [-9] },
    };
    expect(readPixelModule(asDouble, 0).padding).toEqual({ from: -9, to: -9 });
    const whole = { ...described, [TagHex.PixelPaddingValue]: us(0) };
    expect(readPixelModule(whole, 0).padding).toBeUndefined();
  });

  test("takes no more than the first and last grey level from the values of the picture", () => {
    const pixels = readPixelModule(padded, 0);
    const bytes = new Uint8Array(Float32Array.of(LOWEST, 0, 0.5, 1).buffer);
    const frame = prepareFrame(decodeNative(bytes, pixels, TransferSyntax.explicitLittleEndian), pixels);
    expect(frame.kind === "grey" && [...frame.indexes]).toEqual([0, 1, 32_768, 65_534]);
  });
});

/* PS3.3 §C.7.6.3.1.7 */
test.each<[string, DicomJson, number]>([
  ["its spacing", { [TagHex.PixelSpacing]: pair(1, 0.5) }, 2],
  [
    "its spacing, whatever its ratio says",
    { [TagHex.PixelSpacing]: pair(1, 0.5), [TagHex.PixelAspectRatio]: pair(1, 1) },
    2,
  ],
  [
    "its ratio beside a spacing without values",
    { [TagHex.PixelSpacing]: { vr: "DS" }, [TagHex.PixelAspectRatio]: pair(3, 2) },
    1.5,
  ],
  [
    "its spacing beside a ratio without values",
    { [TagHex.PixelAspectRatio]: { vr: "IS" }, [TagHex.PixelSpacing]: pair(1, 0.5) },
    2,
  ],
  [
    "the detector's spacing where the patient's is no number",
    { [TagHex.PixelSpacing]: pair(0, 0), [TagHex.ImagerPixelSpacing]: pair(1, 4) },
    0.25,
  ],
])("the shape of a pixel is that of %s", (_, described, aspect) => {
  expect(readPixelModule(described, 0).pixelAspect).toBe(aspect);
});
