import { expect, test } from "bun:test";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { drawnTable, hasColours } from "../../../src/shared/pixels/drawn-table.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";

const one = (vr: string, ...Value: unknown[]) => ({ vr, Value });
const lut = (...bytes: number[]) => ({ vr: "OW", InlineBinary: btoa(String.fromCharCode(...bytes)) });

/** An image of 8 bits whose values from 200 on are red and then green. */
const image = (presentation: string | undefined, first = 200): DicomJson => ({
  [TagHex.PhotometricInterpretation]: one("CS", "MONOCHROME2"),
  [TagHex.BitsAllocated]: one("US", 8),
  [TagHex.BitsStored]: one("US", 8),
  [TagHex.RedPaletteColorLookupTableDescriptor]: one("US", 2, first, 8),
  [TagHex.GreenPaletteColorLookupTableDescriptor]: one("US", 2, first, 8),
  [TagHex.BluePaletteColorLookupTableDescriptor]: one("US", 2, first, 8),
  [TagHex.RedPaletteColorLookupTableData]: lut(255, 0),
  [TagHex.GreenPaletteColorLookupTableData]: lut(0, 255),
  [TagHex.BluePaletteColorLookupTableData]: lut(0, 0),
  ...(presentation && { [TagHex.PixelPresentation]: one("CS", presentation) }),
});
const frame = { first: 0, step: 1, levels: 256 };
const tableOf = (metadata: DicomJson, isInverted = false, frameIndex = 0) =>
  drawnTable(
    frame,
    readPixelModule(metadata, frameIndex),
    { kind: "window", window: { center: 64, width: 128 } },
    isInverted,
  );
const colourOf = (table: Uint8Array, value: number) => [...table.subarray(value * 3, value * 3 + 3)];

/* PS3.3 §C.8.16.2.1.1.1 */
test("values from the first of a supplemental palette on are its colours, those below it are grey", () => {
  const table = tableOf(image("COLOR"));
  expect(hasColours(table, frame)).toBe(true);
  expect(colourOf(table, 0)).toEqual([0, 0, 0]);
  expect(colourOf(table, 127)).toEqual([255, 255, 255]);
  expect(colourOf(table, 199)).toEqual([255, 255, 255]);
  expect(colourOf(table, 200)).toEqual([255, 0, 0]);
  expect(colourOf(table, 201)).toEqual([0, 255, 0]);
  expect(colourOf(table, 255)).toEqual([0, 255, 0]);
});

test("an inversion turns the grey values alone, and all values may be colours", () => {
  const table = tableOf(image("COLOR"), true);
  expect(colourOf(table, 0)).toEqual([255, 255, 255]);
  expect(colourOf(table, 200)).toEqual([255, 0, 0]);
  expect(colourOf(tableOf(image("COLOR", 0)), 0)).toEqual([255, 0, 0]);
});

test("a palette of an image that is meant to be grey colours nothing", () => {
  for (const presentation of ["MONOCHROME", "TRUE_COLOR", "MIXED", undefined])
    expect(hasColours(tableOf(image(presentation)), frame)).toBe(false);
  const { [TagHex.BluePaletteColorLookupTableData]: _, ...without } = image("COLOR");
  expect(hasColours(tableOf(without), frame)).toBe(false);
});

test("where frames differ each says for itself whether it has colours", () => {
  for (const tag of [TagHex.MRImageFrameTypeSequence, TagHex.CTImageFrameTypeSequence]) {
    const frames = ["COLOR", "MONOCHROME"].map((presentation) => ({
      [tag]: one("SQ", { [TagHex.PixelPresentation]: one("CS", presentation) }),
    }));
    const mixed = { ...image("MIXED"), [TagHex.PerFrameFunctionalGroupsSequence]: one("SQ", ...frames) };
    expect([0, 1].map((at) => hasColours(tableOf(mixed, false, at), frame))).toEqual([true, false]);
  }
});
