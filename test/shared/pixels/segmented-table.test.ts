import { expect, test } from "bun:test";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { expandSegments } from "../../../src/shared/pixels/segmented-table.ts";

/* PS3.3 §C.7.9.2; what pydicom's `_expand_segmented_lut` makes of the first three. */
test.each<[string, number[], number[]]>([
  ["discrete", [0, 2, 7, 112], [7, 112]],
  [
    "discrete and linear",
    [0, 2, 0, 28_672, 1, 5, 49_152],
    [0, 28_672, 32_768, 36_864, 40_960, 45_056, 49_152],
  ],
  ["falling", [0, 1, 400, 1, 5, 0], [400, 320, 240, 160, 80, 0]],
  ["two copied from byte 6", [0, 1, 9, 0, 1, 3, 1, 2, 5, 2, 2, 6, 0], [9, 3, 4, 5, 3, 4, 5]],
  [
    "a copied line that goes on from the last entry",
    [0, 1, 0, 1, 2, 8, 0, 1, 20, 2, 1, 6, 0],
    [0, 4, 8, 20, 14, 8],
  ],
])("segments of words: %s", (_, fields, entries) => {
  expect(expandSegments(fields, 2, 65_536)).toEqual(entries);
});

test("bytes give the offset of a copy in four fields", () => {
  expect(expandSegments([0, 1, 9, 0, 2, 3, 4, 2, 1, 3, 0, 0, 0], 1, 256)).toEqual([9, 3, 4, 3, 4]);
});

test.each<[string, number[], number[]]>([
  ["a line without a point before it", [1, 5, 9], []],
  ["an unknown kind", [0, 1, 9, 7, 1, 1], [9]],
  ["a copy of itself", [0, 1, 9, 2, 65_535, 6, 0], [9]],
  ["a copy from beyond", [0, 1, 9, 2, 1, 65_535, 65_535], [9]],
  ["a length beyond the data", [0, 65_535, 9], [9]],
  ["an empty segment", [0, 1, 9, 1, 0, 5, 0, 1, 9], [9]],
  ["nothing", [], []],
])("segments that the standard does not know end the table: %s", (_, fields, entries) => {
  expect(expandSegments(fields, 2, 65_536)).toEqual(entries);
});

test("there are never more entries than the descriptor declares", () => {
  const copies = Array.from({ length: 40_000 }, () => [2, 65_535, 0, 0]).flat();
  expect(expandSegments([0, 1, 9, 1, 65_535, 20, ...copies], 2, 300)).toHaveLength(300);
  const empty = Array.from({ length: 30_000 }, () => [0, 0]).flat();
  expect(expandSegments([0, 1, 9, ...empty, ...copies], 2, 65_536)).toEqual([9]);
  expect(expandSegments([0, 1, 9, ...copies, 0, 1, 8], 2, 65_536)).toHaveLength(40_002);
});

test("an image finds its colours in segmented tables", () => {
  const words = (...values: number[]) => {
    const bytes = new Uint8Array(new Uint16Array(values).buffer);
    return { vr: "OW", InlineBinary: Buffer.from(bytes).toString("base64") };
  };
  const metadata: DicomJson = {
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["PALETTE COLOR"] },
    ...Object.fromEntries(
      (["Red", "Green", "Blue"] as const).flatMap((colour, n) => [
        [TagHex[`${colour}PaletteColorLookupTableDescriptor`], { vr: "US", Value: [256, 0, 16] }],
        [TagHex[`Segmented${colour}PaletteColorLookupTableData`], words(0, 1, 0, 1, 255, 255 * (n + 1))],
      ]),
    ),
  };
  const [red, green, blue] = readPixelModule(metadata, 0).palette ?? [];
  expect([red, green, blue].map((table) => table?.entries.length)).toEqual([256, 256, 256]);
  expect([red, green, blue].map((table) => table?.entries[100])).toEqual([100, 200, 300]);
});
