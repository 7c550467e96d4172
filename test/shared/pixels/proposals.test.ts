import { expect, test } from "bun:test";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { readProposals } from "../../../src/shared/pixels/proposals.ts";

const us = (...values: number[]) => ({ vr: "US", Value: values });
const ds = (...values: number[]) => ({ vr: "DS", Value: values });
const lo = (...values: (string | null)[]) => ({ vr: "LO", Value: values });
const table = (first: number, ...entries: number[]): DicomJson => ({
  [TagHex.LUTDescriptor]: us(entries.length, first, 16),
  [TagHex.LUTData]: us(...entries),
});

function proposalsOf(described: DicomJson, frameIndex = 0) {
  const metadata = { [TagHex.BitsAllocated]: us(16), [TagHex.BitsStored]: us(12), ...described };
  return readProposals(metadata, frameIndex, readPixelModule(metadata, frameIndex));
}

const windows = {
  [TagHex.WindowCenter]: ds(2_000, 1_800, 2_000, 5),
  [TagHex.WindowWidth]: ds(800, 600, 800, 0),
  [TagHex.WindowCenterWidthExplanation]: lo("NORMAL", "  HARDER\u202e ", null, "NONE"),
};

test("an instance proposes each window once, then its tables, by the names that it gives them", () => {
  const named = { ...table(0, 0, 65_535), [TagHex.LUTExplanation]: lo("SOFTER") };
  const [one, other, ...tables] = proposalsOf({
    ...windows,
    [TagHex.VOILUTSequence]: { vr: "SQ", Value: [named, {}, table(100, 7, 8)] },
  });
  const window = { center: 2_000, width: 800, shape: "linear" as const };
  expect(one).toEqual({ name: "NORMAL", voi: { kind: "window", window } });
  expect(other).toMatchObject({ name: "HARDER", voi: { window: { center: 1_800, width: 600 } } });
  expect(tables).toMatchObject([
    { name: "SOFTER", voi: { kind: "table", table: { first: 0, bits: 16 } } },
    { name: "", voi: { kind: "table", table: { first: 100 } } },
  ]);
});

test("a frame has proposals of its own", () => {
  const frame = (center: number) => ({
    [TagHex.FrameVOILUTSequence]: {
      vr: "SQ",
      Value: [{ [TagHex.WindowCenter]: ds(center), [TagHex.WindowWidth]: ds(10) }],
    },
  });
  const perFrame = { vr: "SQ", Value: [frame(1), frame(2)] };
  const described = { ...windows, [TagHex.PerFrameFunctionalGroupsSequence]: perFrame };
  expect(proposalsOf(described, 1)).toMatchObject([{ voi: { window: { center: 2, width: 10 } } }]);
});

test("no more tables are read than an instance has", () => {
  const many = Array.from({ length: 1_000 }, () => table(0, 1, 2));
  expect(proposalsOf({ [TagHex.VOILUTSequence]: { vr: "SQ", Value: many } })).toHaveLength(8);
});

test("a name that shows nothing is none, and one that is longer than a name may be is cut", () => {
  const named = (name: string) => ({ ...windows, [TagHex.WindowCenterWidthExplanation]: lo("A", name) });
  for (const unseen of ["\u200b", "\u202e \u202e", "\u00ad"])
    expect(proposalsOf(named(unseen))[1]).toMatchObject({ name: "" });
  expect(proposalsOf(named(`${"x".repeat(63)}😀${"x".repeat(1_000)}`))[1]?.name).toBe(`${"x".repeat(63)}😀`);
  const table1 = { ...table(0, 1, 2), [TagHex.LUTExplanation]: lo("x".repeat(1_000)) };
  const [only] = proposalsOf({ [TagHex.VOILUTSequence]: { vr: "SQ", Value: [table1] } });
  expect(only?.name).toHaveLength(64);
});
