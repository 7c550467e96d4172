import { describe, expect, test } from "bun:test";
import type { Slice } from "../../../src/client/visor/core/stacks.ts";
import {
  autoVoi,
  draggedWindow,
  ownVoisOf,
  windowGrain,
  windowLimits,
} from "../../../src/client/visor/core/windows.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { greyTable } from "../../../src/shared/pixels/grey-table.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { prepareFrame } from "../../../src/shared/pixels/prepare-frame.ts";

const us = (value: number) => ({ vr: "US", Value: [value] });
const ds = (value: number) => ({ vr: "DS", Value: [value] });
const voi = (center: number, width: number, shape = "LINEAR"): DicomJson => ({
  [TagHex.WindowCenter]: ds(center),
  [TagHex.WindowWidth]: ds(width),
  [TagHex.VOILUTFunction]: { vr: "CS", Value: [shape] },
});

/** An image of 16 bits, as its window shows it. */
function seen(described: DicomJson, stored: number[]) {
  const pixels = readPixelModule(
    { [TagHex.BitsAllocated]: us(16), [TagHex.BitsStored]: us(16), ...described },
    0,
  );
  const samples = Uint16Array.from(stored);
  const frame = prepareFrame({ rows: 1, columns: stored.length, samplesPerPixel: 1, samples }, pixels);
  if (frame.kind !== "grey") throw new Error("no grey picture");
  const shown = autoVoi(frame, pixels);
  if (shown.kind !== "window") throw new Error("no window");
  const table = greyTable(frame, pixels, shown, false);
  const levels = Array.from(frame.indexes, (index) => table[index]);
  return { window: shown.window, limits: windowLimits(frame, pixels), levels };
}

/** A map of diffusion, in mm²/s. */
const DIFFUSION = { [TagHex.RescaleSlope]: ds(1e-6) };

describe("an image of small values", () => {
  const { window, limits, levels } = seen(DIFFUSION, [0, 1_500, 3_000]);

  test("is seen whole, and its sliders reach from its lowest to its highest value", () => {
    expect(levels).toEqual([0, 128, 255]);
    expect([window.center, window.width]).toEqual([expect.closeTo(0.0015, 6), expect.closeTo(0.003, 6)]);
    expect([limits.lowest, limits.highest]).toEqual([expect.closeTo(0, 6), expect.closeTo(0.003, 6)]);
    expect(windowGrain(limits)).toBe(1e-6);
  });

  test("has its window set in steps of their size", () => {
    const wider = draggedWindow({ ...window, width: 0.001 }, { x: 100, y: 0 }, limits);
    expect(wider.width).toBeWithin(0.0011, 0.003);
    const higher = draggedWindow(window, { x: 0, y: 100 }, limits);
    expect(higher.center).toBeWithin(0.0016, 0.003);
    const narrow = draggedWindow(window, { x: -1e6, y: 0 }, limits);
    expect(narrow.width).toBe(1e-6);
  });

  test("has its own window, be that narrower than the one that the function allows", () => {
    expect(seen({ ...DIFFUSION, ...voi(0.001, 0.002, "LINEAR_EXACT") }, [0, 1_000, 2_000]).levels).toEqual([
      0, 128, 255,
    ]);
    // LINEAR has no windows below 1 (PS3.3 §C.11.2.1.2.1): drawn as written, this one would be black and white.
    expect(seen({ ...DIFFUSION, ...voi(0.001, 0.002) }, [0, 1_000, 2_000]).levels).toEqual([0, 128, 255]);
  });
});

describe("a window that is dragged", () => {
  const { limits } = seen({}, [0, 4_000]);

  test("moves with each pixel of a slow way, to either side", () => {
    const from = { center: 40, width: 2 };
    expect(draggedWindow(from, { x: 1, y: 1 }, limits)).toEqual({ center: 40.1, width: 2.1 });
    expect(draggedWindow(from, { x: -1, y: -1 }, limits)).toEqual({ center: 39.9, width: 1.9 });
  });

  test("is never narrower than one value, nor wider than all", () => {
    const from = { center: 40, width: 80 };
    expect(draggedWindow(from, { x: -1e6, y: 0 }, limits).width).toBe(1);
    expect(draggedWindow(from, { x: 1e6, y: 0 }, limits).width).toBe(4_002);
  });

  test("stays where it is in an image of large values", () => {
    const far = { lowest: 0, highest: 4e9 };
    const from = { center: 3e9, width: 1e9 };
    expect(draggedWindow(from, { x: 0, y: 0 }, far)).toEqual(from);
    expect(draggedWindow(from, { x: 0, y: 1e9 }, far).center).toBeWithin(3e9, 1e11);
  });
});

test("what an instance proposes besides its first window has a number of its kind", () => {
  const entries = { [TagHex.LUTDescriptor]: { vr: "US", Value: [2, 0, 8] }, [TagHex.LUTData]: us(255) };
  const metadata = {
    [TagHex.WindowCenter]: { vr: "DS", Value: [1, 2] },
    [TagHex.WindowWidth]: { vr: "DS", Value: [10, 10] },
    [TagHex.VOILUTSequence]: { vr: "SQ", Value: [entries, entries] },
  };
  const slice = { metadata, frameIndex: 0 } as unknown as Slice;
  expect(ownVoisOf(slice).map(({ kind, number }) => `${kind} ${number}`)).toEqual([
    "window 2",
    "table 1",
    "table 2",
  ]);
});
