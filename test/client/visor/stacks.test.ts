import { describe, expect, test } from "bun:test";
import { buildStacks, mainStack } from "../../../src/client/visor/core/stacks.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";

const series = {
  studyInstanceUID: "2.25.1",
  seriesInstanceUID: "2.25.2",
  seriesNumber: 2,
  modality: "MR",
  description: "Axial",
  instanceCount: 3,
};

const AXIAL = [1, 0, 0, 0, 1, 0];
const SAGITTAL = [0, 1, 0, 0, 0, -1];

function instance(number: number, more: DicomJson = {}): DicomJson {
  return {
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.3.${number}`] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [number] },
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
    [TagHex.Rows]: { vr: "US", Value: [2] },
    [TagHex.Columns]: { vr: "US", Value: [2] },
    ...more,
  };
}

const at = (z: unknown, orientation: unknown[] = AXIAL): DicomJson => ({
  [TagHex.ImagePositionPatient]: { vr: "DS", Value: [0, 0, z] },
  [TagHex.ImageOrientationPatient]: { vr: "DS", Value: orientation },
});

const numbers = (instances: DicomJson[]) =>
  buildStacks(series, instances).map(({ slices }) =>
    slices.map(({ sopInstanceUID }) => Number(sopInstanceUID.split(".").at(-1))),
  );

describe("the slices of a series", () => {
  test("are in the order of their positions, whatever their numbers", () => {
    expect(numbers([instance(1, at(20)), instance(2, at(0)), instance(3, at(10))])).toEqual([[2, 3, 1]]);
  });

  test("are in the order of their numbers where they have no positions", () => {
    expect(numbers([instance(3, at(0)), instance(1), instance(2, at(10))])).toEqual([[1], [3, 2]]);
    expect(numbers([instance(3), instance(1), instance(2)])).toEqual([[1, 2, 3]]);
  });

  test("are apart where scrolling would jump: another direction, size or echo", () => {
    const echo = (value: number) => ({ [TagHex.EchoNumbers]: { vr: "IS", Value: [value] } });
    const large = { [TagHex.Rows]: { vr: "US", Value: [4] } };
    expect(numbers([instance(1, at(0)), instance(2, at(0, SAGITTAL))])).toEqual([[1], [2]]);
    expect(numbers([instance(1), instance(2, large), instance(3)])).toEqual([[1, 3], [2]]);
    expect(numbers([instance(1, echo(1)), instance(2, echo(2)), instance(3, echo(1))])).toEqual([
      [1, 3],
      [2],
    ]);
  });

  test("stay together though their directions differ by what a scanner rounds, on either side of zero", () => {
    const [rounded, other] = [
      [1, 1e-10, 0, 0, 1, 0],
      [1, -1e-10, -0.002, 0, 1, -1e-4],
    ];
    expect(numbers([instance(1, at(0)), instance(2, at(10, rounded)), instance(3, at(20, other))])).toEqual([
      [1, 2, 3],
    ]);
  });

  test("stay together in the order of their numbers where each has a direction of its own: a picture that turns", () => {
    const turning = Array.from({ length: 12 }, (_, i) => {
      const angle = (i * Math.PI) / 12;
      return instance(12 - i, at(i % 3, [Math.cos(angle), Math.sin(angle), 0, 0, 0, -1]));
    });
    expect(numbers(turning)).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]]);
  });

  test("of diffusion are split by b-values that lie at the same places", () => {
    const diffusion = (number: number, z: number, b: number | undefined) =>
      instance(number, {
        ...at(z),
        ...(b !== undefined && { [TagHex.DiffusionBValue]: { vr: "FD", Value: [b] } }),
      });
    const split = [0, 1000, undefined].flatMap((b, of) =>
      [0, 5, 10].map((z, i) => diffusion(1 + 3 * of + i, z, b)),
    );
    expect(numbers(split)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ]);
    expect(buildStacks(series, split).map(({ bValue }) => bValue)).toEqual([0, 1000, undefined]);
    const nearly = [0, 1e-7, 1000, 999.999_99].map((b, i) => diffusion(i + 1, i % 2, b));
    expect(buildStacks(series, nearly).map(({ bValue }) => bValue)).toEqual([0, 1000]);
    const nonsense = [0, 0, 1e300, -1e300].map((b, i) => diffusion(i + 1, i % 2, b));
    expect(buildStacks(series, nonsense).map(({ bValue }) => bValue)).toEqual([0, undefined]);
    const directions = [
      diffusion(1, 0, 0),
      diffusion(2, 5, 0),
      diffusion(3, 0, 800),
      diffusion(4, 5, 800),
      diffusion(5, 0, 800),
    ];
    expect(numbers(directions)).toEqual([
      [1, 2],
      [3, 5, 4],
    ]);
  });

  test("of diffusion stay together where each b-value is another place, or nearly each slice has its own", () => {
    const of = (bValues: number[], z: (i: number) => number) =>
      numbers(
        bValues.map((b, i) =>
          instance(i + 1, { ...at(z(i)), [TagHex.DiffusionBValue]: { vr: "FD", Value: [b] } }),
        ),
      );
    expect(of([0, 0, 50, 50], (i) => i)).toEqual([[1, 2, 3, 4]]);
    expect(of([0, 0, 50], (i) => i % 2)).toEqual([[1, 3, 2]]);
    const many = Array.from({ length: 18 }, (_, i) => Math.floor(i / 2));
    expect(of(many, (i) => i % 2)).toHaveLength(1);
  });

  test("do not take vectors without a direction, or positions that are no numbers, for places", () => {
    expect(numbers([instance(2, at(0, [0, 0, 0, 0, 0, 0])), instance(1, at("NaN"))])).toEqual([[1], [2]]);
  });

  test("leave out what has no pixels and what is drawn over others", () => {
    const segmentation = { [TagHex.SOPClassUID]: { vr: "UI", Value: ["1.2.840.10008.5.1.4.1.1.66.4"] } };
    const { [TagHex.Rows]: _, ...document } = instance(3);
    expect(numbers([instance(1), instance(2, segmentation), document])).toEqual([[1]]);
  });
});

describe("an instance of many frames", () => {
  const frames = (count: number, more: DicomJson = {}) =>
    instance(1, { [TagHex.NumberOfFrames]: { vr: "IS", Value: [count] }, ...more });

  test("is a film that plays at the rate that it declares, within bounds", () => {
    const rate = (more: DicomJson) => buildStacks(series, [frames(5, more)])[0]?.framesPerSecond;
    expect(rate({ [TagHex.FrameTime]: { vr: "DS", Value: [40] } })).toBe(25);
    expect(rate({ [TagHex.CineRate]: { vr: "IS", Value: [1e9] } })).toBe(60);
    expect(rate({ [TagHex.FrameTime]: { vr: "DS", Value: [0] } })).toBe(24);
    // A rate of 0 says nothing.
    const none = { vr: "IS", Value: [0] };
    const frameTime = { [TagHex.FrameTime]: { vr: "DS", Value: [100] } };
    expect(rate({ [TagHex.RecommendedDisplayFrameRate]: none, ...frameTime })).toBe(10);
    const cineRate = { [TagHex.CineRate]: { vr: "IS", Value: [15] } };
    expect(rate({ [TagHex.RecommendedDisplayFrameRate]: none, ...cineRate })).toBe(15);
  });

  test("is a film whose frames are shown as long as its vector of frame times says", () => {
    const film = (times: unknown[], more: DicomJson = {}) => {
      const vector = { vr: "DS", Value: times } as DicomJson[string];
      const [stack] = buildStacks(series, [frames(4, { [TagHex.FrameTimeVector]: vector, ...more })]);
      return [stack?.framesPerSecond, stack?.frameTimesMs];
    };
    expect(film([0, 100, 800, 300])).toEqual([3, [100, 800, 300, 400]]);
    expect(film([0, 1, 1e9, 100])[1]).toEqual([1000 / 60, 60_000, 100, 60_000]);
    // Equal times, or ones that say nothing, are a rate.
    expect(film([0, 50, 50, 50])).toEqual([20, undefined]);
    expect(film([0, 50, "x", 20])[1]).toBeUndefined();
    expect(film([])).toEqual([24, undefined]);
    const recommended = { [TagHex.RecommendedDisplayFrameRate]: { vr: "IS", Value: [10] } };
    expect(film([0, 100, 800, 300], recommended)).toEqual([10, undefined]);
  });

  describe("of a body", () => {
    const group = (z: number, orientation: number[]) => {
      const { [TagHex.ImagePositionPatient]: position, [TagHex.ImageOrientationPatient]: directions } = at(
        z,
        orientation,
      ) as Record<string, DicomJson[string]>;
      const sequence = (item: object) => ({ vr: "SQ", Value: [item] });
      return {
        [TagHex.PlanePositionSequence]: sequence({ [TagHex.ImagePositionPatient]: position }),
        [TagHex.PlaneOrientationSequence]: sequence({ [TagHex.ImageOrientationPatient]: directions }),
      };
    };
    const enhanced = (groups: object[]) =>
      buildStacks(series, [
        frames(groups.length, { [TagHex.PerFrameFunctionalGroupsSequence]: { vr: "SQ", Value: groups } }),
      ]).map(({ slices, framesPerSecond }) => [framesPerSecond, ...slices.map((one) => one.frameIndex)]);

    test("is split where scrolling would jump, as separate slices are", () => {
      const planes = [group(9, AXIAL), group(5, SAGITTAL), group(0, AXIAL), group(7, SAGITTAL)];
      expect(enhanced(planes)).toEqual([
        [undefined, 2, 0],
        [undefined, 1, 3],
      ]);
      expect(enhanced([group(0, AXIAL), group(0, SAGITTAL)])).toEqual([
        [undefined, 0],
        [undefined, 1],
      ]);
    });

    test("is split by b-values at the same places", () => {
      const diffusion = (z: number, b: number) => ({
        ...group(z, AXIAL),
        [TagHex.MRDiffusionSequence]: {
          vr: "SQ",
          Value: [{ [TagHex.DiffusionBValue]: { vr: "FD", Value: [b] } }],
        },
      });
      expect(enhanced([diffusion(0, 0), diffusion(0, 1000), diffusion(5, 0), diffusion(5, 1000)])).toEqual([
        [undefined, 0, 2],
        [undefined, 1, 3],
      ]);
    });

    test("is a film in the order of its frames where it turns", () => {
      const turning = Array.from({ length: 9 }, (_, i) =>
        group(9, [Math.cos(i / 4), 0, Math.sin(i / 4), 0, 1, 0]),
      );
      expect(enhanced(turning)).toEqual([[24, 0, 1, 2, 3, 4, 5, 6, 7, 8]]);
    });
  });

  test("that claims two thousand million frames is cut, and says so", () => {
    const [stack] = buildStacks(series, [frames(2 ** 31)]);
    expect(stack?.slices.length).toBe(16_384);
    expect(stack?.isCut).toBe(true);
  });
});

test("the stack to begin with is the largest one that is no scout", () => {
  const scout = { [TagHex.ImageType]: { vr: "CS", Value: ["ORIGINAL", "PRIMARY", "LOCALIZER"] } };
  const size = { [TagHex.Columns]: { vr: "US", Value: [9] } };
  const stacks = buildStacks(series, [
    instance(1, scout),
    instance(2, scout),
    instance(3, { ...size, ...at(0) }),
  ]);
  expect(mainStack(stacks)?.slices.map(({ sopInstanceUID }) => sopInstanceUID)).toEqual(["2.25.3.3"]);
  expect(mainStack([])).toBeUndefined();
});

test("of stacks with as many images the one to begin with has the image that is seen already", () => {
  const apart = buildStacks(series, [instance(1, at(0)), instance(2, at(0, SAGITTAL))]);
  expect(apart).toHaveLength(2);
  expect(mainStack(apart)?.key).toBe("2.25.3.1/0");
  expect(mainStack(apart, "2.25.3.2/0")?.key).toBe("2.25.3.2/0");
  expect(mainStack(apart, "2.25.3.9/0")?.key).toBe("2.25.3.1/0");
});
