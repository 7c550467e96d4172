import { expect, test } from "bun:test";
import type { DicomJson, DicomJsonElement } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { lookupTable } from "../../../src/shared/pixels/lookup-table.ts";
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

function bytes(...values: number[]): DicomJsonElement {
  return { vr: "OW", InlineBinary: Buffer.from(values).toString("base64") };
}

function words(...values: number[]): DicomJsonElement {
  return bytes(...new Uint8Array(new Uint16Array(values).buffer));
}

test.each<[string, DicomJsonElement, number[]]>([
  ["bytes", bytes(0, 2, 7, 250, 1, 2, 150, 0), [7, 250, 200, 150]],
  ["words", words(0, 2, 7, 250, 1, 2, 150), [7, 250, 200, 150]],
  ["words as numbers", { vr: "US", Value: [0, 2, 7, 250, 1, 2, 150] }, [7, 250, 200, 150]],
  ["bytes in numbers", { vr: "US", Value: [0x0200, 0xfa07, 0x0201, 0x0096] }, [7, 250, 200, 150]],
])("entries of 8 bits are read from %s", (_, segmented, entries) => {
  const descriptor = { vr: "US", Value: [4, 0, 8] };
  expect(lookupTable(descriptor, { plain: undefined, segmented }, 0)?.entries).toEqual(entries);
});

test("numbers with a sign or of more than 16 bits neither loop nor make a table larger than there are values", () => {
  const descriptor = { vr: "UL", Value: [300_000, 0, 16] };
  const tableOf = (segmented: DicomJsonElement) =>
    lookupTable(descriptor, { plain: undefined, segmented }, 0);
  expect(tableOf({ vr: "SS", Value: [0, -2] })).toBeUndefined();
  expect(tableOf({ vr: "SS", Value: [0, 1, 9, 0, -2] })?.entries).toEqual([9]);
  expect(tableOf({ vr: "SS", Value: [0, 2, -1, -32_768] })?.entries).toEqual([65_535, 32_768]);
  const lines = tableOf({ vr: "UL", Value: [0, 1, 9, ...[1, 60_000, 20], ...[1, 60_000, 9]] });
  expect(lines?.entries.length).toBeLessThanOrEqual(65_536);
});

test("a count that a file writes with a sign is the one without", () => {
  const descriptor = { vr: "SS", Value: [-25_536, 0, 16] };
  const line = words(0, 1, 0, 1, 65_535, 65_535);
  expect(lookupTable(descriptor, { plain: undefined, segmented: line }, 0)?.entries.length).toBe(40_000);
  const plain = bytes(...new Uint8Array(80_000));
  expect(lookupTable(descriptor, { plain }, 0)?.entries.length).toBe(40_000);
});

test("entries that are no palette's keep their sign", () => {
  const plain = { vr: "SS", Value: [-1000, 0, 1000] };
  const table = lookupTable({ vr: "US", Value: [3, 0, 16] }, { plain }, 0);
  expect(table?.entries).toEqual([-1000, 0, 1000]);
});

test("an image finds its colours in segmented tables", () => {
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
