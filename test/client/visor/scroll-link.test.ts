import { describe, expect, test } from "bun:test";
import { createFollower, linkScroll } from "../../../src/client/visor/core/scroll-link.ts";
import { buildStacks, type Stack } from "../../../src/client/visor/core/stacks.ts";
import { createVisorModel } from "../../../src/client/visor/core/visor-model.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";

const AXIAL = [1, 0, 0, 0, 1, 0];
const FROM_BELOW = [-1, 0, 0, 0, 1, 0];
const SAGITTAL = [0, 1, 0, 0, 0, -1];

interface Drawn {
  count: number;
  first?: number;
  apartMm?: number;
  orientation?: number[] | ((at: number) => number[]);
  space?: string;
}

const series = (uid: string) => ({
  studyInstanceUID: "2.25.1",
  seriesInstanceUID: uid,
  seriesNumber: 1,
  modality: "CT",
  description: "",
  instanceCount: 1,
});

function instances(uid: string, { count, first, apartMm = 5, orientation, space }: Drawn): DicomJson[] {
  return Array.from({ length: count }, (_, at) => ({
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`${uid}.${at}`] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [at] },
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
    [TagHex.Rows]: { vr: "US", Value: [2] },
    [TagHex.Columns]: { vr: "US", Value: [2] },
    ...(space && { [TagHex.FrameOfReferenceUID]: { vr: "UI", Value: [space] } }),
    ...(first !== undefined && {
      [TagHex.ImagePositionPatient]: { vr: "DS", Value: [0, 0, first + at * apartMm] },
      [TagHex.ImageOrientationPatient]: { vr: "DS", Value: directionsAt(orientation, at) },
    }),
  }));
}

function directionsAt(orientation: Drawn["orientation"], at: number): number[] {
  return typeof orientation === "function" ? orientation(at) : (orientation ?? AXIAL);
}

function stackOf(drawn: Drawn): Stack {
  const [stack] = buildStacks(series("2.25.2"), instances("2.25.2", drawn));
  if (!stack) throw new Error("no stack");
  return stack;
}

/** Where the other stack goes for each of these slices. */
function follows(from: Drawn & { at: number }, to: Drawn & { at: number }, indexes: number[]): number[] {
  const follow = createFollower(
    { stack: stackOf(from), index: from.at },
    { stack: stackOf(to), index: to.at },
  );
  return indexes.map(follow);
}

describe("linked scrolling", () => {
  test("shows the same position of the patient where both stacks share a frame of reference", () => {
    const thick = { count: 11, first: 0, apartMm: 5, space: "2.25.9", at: 0 };
    const thin = { count: 41, first: 10, apartMm: 1, space: "2.25.9", at: 40 };
    expect(follows(thick, thin, [0, 2, 3, 9, 10])).toEqual([0, 0, 5, 35, 40]);
    expect(follows(thin, thick, [0, 7, 40])).toEqual([2, 3, 10]);
  });

  test("goes as many millimetres from where it was linked where only the direction is shared", () => {
    const now = { count: 20, first: 100, apartMm: 5, space: "2.25.9", at: 10 };
    const before = { count: 60, first: -900, apartMm: 2.5, space: "2.25.8", at: 30 };
    expect(follows(now, before, [10, 11, 9, 0, 19])).toEqual([30, 32, 28, 10, 48]);
    expect(follows({ ...now, at: 0 }, before, [0, 19])).toEqual([30, 59]);
  });

  test("turns around for a stack that is seen from the other side", () => {
    const above = { count: 11, first: 0, space: "2.25.9", at: 5 };
    expect(follows(above, { ...above, orientation: FROM_BELOW }, [0, 5, 10])).toEqual([10, 5, 0]);
  });

  test("keeps the share of the stack where directions differ or positions are missing", () => {
    const axial = { count: 11, first: 0, space: "2.25.9", at: 5 };
    const sagittal = { count: 101, first: 0, orientation: SAGITTAL, space: "2.25.9", at: 50 };
    expect(follows(axial, sagittal, [0, 5, 10])).toEqual([0, 50, 100]);
    expect(follows(sagittal, axial, [0, 54, 56, 100])).toEqual([0, 5, 6, 10]);
    expect(follows({ count: 5, at: 2 }, axial, [0, 4])).toEqual([0, 10]);
    const turn = (at: number) => [Math.cos(at / 9), 0, Math.sin(at / 9), 0, 1, 0];
    const turning = { count: 21, first: 50, apartMm: 0, orientation: turn, space: "2.25.9", at: 10 };
    expect(follows(turning, axial, [0, 10, 20])).toEqual([0, 5, 10]);
    expect(follows(axial, turning, [0, 5, 10])).toEqual([0, 10, 20]);
    expect(follows({ count: 1, at: 0 }, axial, [0])).toEqual([5]);
    expect(follows(axial, { count: 1, at: 0 }, [0, 10])).toEqual([0, 0]);
  });

  test("stays where it is when a file claims positions beyond all numbers", () => {
    const huge = { count: 3, first: 1.7e308, apartMm: 1e307, space: "2.25.9", at: 1 };
    const axial = { count: 11, first: 0, space: "2.25.9", at: 5 };
    for (const [from, to] of [
      [huge, axial],
      [axial, huge],
      [huge, huge],
    ] as const) {
      for (const index of follows(from, to, [0, 1, 2])) expect(index).toBeWithin(0, to.count);
    }
  });
});

describe("two linked studies", () => {
  const createModel = (shown: Record<string, Drawn>) =>
    createVisorModel({
      listSeries: async () => Object.keys(shown).map(series),
      readMetadata: async ({ seriesInstanceUID: uid }) => instances(uid, shown[uid] ?? { count: 0 }),
      readFrame: () => Promise.reject(new Error("no frame is asked for")),
    });
  const model = async (shown: Record<string, Drawn>) => {
    const made = createModel(shown);
    await made.open("2.25.1");
    return made;
  };

  test("scroll each other, also after another series is shown, until the link is cut", async () => {
    const now = await model({ "2.25.2": { count: 21, first: 0, space: "2.25.9" } });
    const before = await model({
      "2.25.3": { count: 101, first: 0, apartMm: 1, space: "2.25.9" },
      "2.25.4": { count: 3, first: 0, apartMm: 50, space: "2.25.9" },
    });
    now.seek(4);
    const end = linkScroll(now, before);
    expect(before.state.index).toBe(20);
    now.seek(6);
    expect(before.state.index).toBe(30);
    before.seek(99);
    expect(now.state.index).toBe(20);
    now.seek(11);
    expect(before.state.index).toBe(55);
    await before.showSeries("2.25.4");
    expect([now.state.index, before.state.index]).toEqual([11, 1]);
    before.seek(2);
    expect(now.state.index).toBe(20);
    end();
    now.seek(0);
    expect(before.state.index).toBe(2);
  });

  test("begin at the same share without a common frame of reference, and keep the offset that a person chose", async () => {
    const now = await model({ "2.25.2": { count: 21, first: 0, space: "2.25.9" } });
    const before = createModel({ "2.25.3": { count: 41, first: 500, space: "2.25.8" } });
    now.seek(5);
    const end = linkScroll(now, before);
    await before.open("2.25.1");
    expect(before.state.index).toBe(10);
    now.seek(6);
    expect(before.state.index).toBe(11);
    end();
    before.seek(20);
    linkScroll(now, before);
    expect([now.state.index, before.state.index]).toEqual([6, 20]);
    now.seek(8);
    expect(before.state.index).toBe(22);
  });
});
