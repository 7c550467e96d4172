import { describe, expect, test } from "bun:test";
import { regionScale } from "../../../src/client/visor/core/ultrasound-regions.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { ultrasound } from "../../support/ultrasound-regions.ts";

const at = (x: number, y = 5) => ({ x, y });
const NONE = { spacing: undefined };
const mm = (rows: number, columns = rows) => ({ spacing: { rows, columns } });
const left = { from: [0, 0], to: [49, 99], delta: [0.02, 0.01] } as const;
const asRegion = (region: object) => region as Parameters<typeof ultrasound>[0][number];
const scale = (regions: object[], points = [at(1), at(40)], size = {}) =>
  regionScale(ultrasound(regions.map(asRegion), size), points);

describe("a length of ultrasound", () => {
  test("is by the centimetres of the region that both ends lie in, its last pixels included", () => {
    expect(scale([left])).toEqual(mm(0.1, 0.2));
    expect(scale([left], [at(0, 0), at(49.9, 99.9)])).toEqual(mm(0.1, 0.2));
    expect(scale([left], [at(1), at(50)])).toEqual(NONE);
    expect(scale([left], [at(-1), at(5)])).toEqual(NONE);
  });

  test("has no scale from one region to another, though both have the same", () => {
    const right = { ...left, from: [50, 0], to: [99, 99] };
    expect(scale([left, right], [at(10), at(20)])).toEqual(mm(0.1, 0.2));
    expect(scale([left, right], [at(10), at(60)])).toEqual(NONE);
  });

  test("has none along axes of time or velocity, nor with other units, nor in a region of another kind", () => {
    for (const units of [
      [4, 3],
      [4, 7],
      [3, 0],
      [4, 1],
      [3, 4],
    ])
      expect(scale([{ ...left, units }])).toEqual(NONE);
    for (const spatialFormat of [0, 2, 3, 4, 5]) expect(scale([{ ...left, spatialFormat }])).toEqual(NONE);
  });

  test("has none where a delta is nothing, and is positive where an axis grows the other way", () => {
    for (const delta of [
      [0, 0.01],
      [0.01, 0],
      [1e-12, 1e-12],
      [1e9, 1e9],
    ])
      expect(scale([{ ...left, delta }])).toEqual(NONE);
    expect(scale([{ ...left, delta: [-0.02, -0.01] }])).toEqual(mm(0.1, 0.2));
  });

  test("counts where regions overlap by the one that is seen there, and only if one scale is left", () => {
    const whole = { ...left, to: [99, 99], flags: 1 };
    const inner = { ...left, from: [20, 0], to: [60, 99] };
    const other = { ...inner, delta: [0.5, 0.5] };
    expect(scale([whole, inner], [at(5), at(30)])).toEqual(mm(0.1, 0.2));
    expect(scale([whole, other], [at(5), at(30)])).toEqual(NONE);
    expect(scale([whole, other], [at(25), at(30)])).toEqual(mm(5));
    expect(scale([other, whole], [at(25), at(30)])).toEqual(mm(5));
    expect(scale([{ ...whole, flags: 0 }, other], [at(25), at(30)])).toEqual(NONE);
    expect(scale([whole, { ...other, flags: 1 }], [at(25), at(30)])).toEqual(NONE);
    const spectrum = { ...inner, units: [4, 7], spatialFormat: 3 };
    expect(scale([whole, spectrum], [at(5), at(30)])).toEqual(NONE);
    expect(scale([whole, spectrum], [at(5), at(10)])).toEqual(mm(0.1, 0.2));
  });

  test("has no scale in a picture that was cut or made smaller after its regions were written", () => {
    expect(scale([left], undefined, { rows: 99 })).toEqual(mm(0.1, 0.2));
    expect(scale([left], undefined, { rows: 98 })).toEqual(NONE);
    expect(scale([left, { ...left, to: [150, 99], units: [4, 0] }])).toEqual(NONE);
  });

  test("is left to the spacing of the whole picture where no region says anything", () => {
    expect(regionScale({}, [at(1)])).toBeUndefined();
    expect(scale([])).toBeUndefined();
    expect(scale([{ ...left, units: [0, 0] }])).toBeUndefined();
  });

  test("has no scale by regions that make no sense, however many", () => {
    const broken = (Value: unknown[]) =>
      regionScale({ [TagHex.SequenceOfUltrasoundRegions]: { vr: "SQ", Value } }, [at(1)]);
    expect(broken([null, 7, "x", {}])).toEqual(NONE);
    expect(scale(Array.from({ length: 65 }, () => left))).toEqual(NONE);
  });
});
