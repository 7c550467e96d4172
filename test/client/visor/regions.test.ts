import { describe, expect, test } from "bun:test";
import {
  countValues,
  ellipseArea,
  ellipseOf,
  RegionCount,
  regionValues,
} from "../../../src/client/visor/core/regions.ts";
import type { Point } from "../../../src/client/visor/draw/placement.ts";
import type { GreyFrame } from "../../../src/shared/pixels/prepare-frame.ts";

/** A frame of 12 bits. NumPy computed from the same formula, with a mask over all pixels, what is expected of it below. */
function phantom({ rows, columns }: { rows: number; columns: number }): GreyFrame {
  const indexes = new Uint16Array(rows * columns);
  for (let at = 0; at < indexes.length; at++) {
    const [row, column] = [Math.floor(at / columns), at % columns];
    indexes[at] = (37 * column * column + 91 * row + column * row) % 4096;
  }
  const shape = { kind: "grey", rows, columns, indexes } as const;
  return { ...shape, first: 0, step: 1, levels: 65_536, lowest: 0, highest: 4095 };
}

const SMALL = phantom({ rows: 48, columns: 64 });
const scale = { of: (stored: number) => stored * 0.5 - 1000, isPadding: () => false };
const corners = (left: number, top: number, right: number, bottom: number): Point[] => [
  { x: left, y: top },
  { x: right, y: bottom },
];
const EXPECTED = {
  mean: 31.885057471264368,
  deviation: 590.9100624417792,
  lowest: -998.5,
  highest: 1041.5,
  highestStored: 4083,
};

function expectValues(found: unknown, expected: Record<string, number>): void {
  const near = Object.entries(expected).map(([name, value]) => [name, expect.closeTo(value, 8)]);
  expect(found).toEqual(Object.fromEntries(near));
}

describe("the values of a region", () => {
  test("count each pixel whose centre is inside, in whatever order the corners are drawn", () => {
    expectValues(regionValues({ frame: SMALL, scale, corners: corners(10.3, 5.7, 40.9, 31.2) }), EXPECTED);
    expectValues(regionValues({ frame: SMALL, scale, corners: corners(40.9, 5.7, 10.3, 31.2) }), EXPECTED);
  });

  test("are those within the picture where the region reaches beyond it", () => {
    expectValues(regionValues({ frame: SMALL, scale, corners: corners(-20.2, 30.1, 25.7, 90.3) }), {
      mean: 62.35358255451713,
      deviation: 644.0183675095436,
      lowest: -994.5,
      highest: 1047.5,
      highestStored: 4095,
    });
  });

  test("are none where no pixel has its centre inside, and of colours", () => {
    const none = [corners(20.2, 20.3, 20.4, 20.4), corners(5, 5, 5, 20), corners(-30, 5, -10, 20)];
    for (const nowhere of none) {
      expect(regionValues({ frame: SMALL, scale, corners: nowhere })).toBe("none");
    }
    const frame = { kind: "colour", rows: 48, columns: 64, bytes: new Uint8Array(48 * 64 * 3) } as const;
    expect(regionValues({ frame, scale, corners: corners(10, 5, 40, 31) })).toBe("none");
  });

  test("of equal pixels have no deviation, in whatever unit", () => {
    const frame = { ...SMALL, indexes: new Uint16Array(48 * 64).fill(1_234) };
    const of = (stored: number) => stored * 0.1 - 0.3;
    const values = regionValues({ frame, scale: { ...scale, of }, corners: corners(10.3, 5.7, 40.9, 31.2) });
    expect(values).toMatchObject({ mean: of(1_234), deviation: 0 });
  });

  test("leave out padding, in whatever place among the values", () => {
    const indexes = new Uint16Array(48 * 64).fill(40);
    indexes.fill(2_000, 0, 64 * 18);
    indexes.fill(44, 64 * 20, 64 * 21);
    const of = (padding: number) => ({ ...scale, isPadding: (stored: number) => stored === padding });
    const valuesWithout = (padding: number) =>
      regionValues({
        frame: { ...SMALL, indexes },
        scale: of(padding),
        corners: corners(10.3, 5.7, 40.9, 31.2),
      });
    expect(valuesWithout(2_000)).toMatchObject({ lowest: -980, highest: -978, highestStored: 44 });
    expect(valuesWithout(40)).toMatchObject({ lowest: -978, highest: 0 });
    const spread = { ...SMALL, indexes, lowest: 40, highest: 44, hasGaps: true };
    const region = { scale: of(44), corners: corners(10.3, 5.7, 40.9, 31.2) };
    expect(regionValues({ frame: spread, ...region })).toMatchObject({ lowest: -980, highest: -978 });
  });

  test("are told in a unit that falls where stored values rise", () => {
    const values = regionValues({
      frame: SMALL,
      scale: { ...scale, of: (stored) => -scale.of(stored) },
      corners: corners(10.3, 5.7, 40.9, 31.2),
    });
    expect(values).toMatchObject({ lowest: -1041.5, highest: 998.5, highestStored: 4083 });
  });

  test("of a large region are counted apart, a part at a time, and known then", async () => {
    const frame = phantom({ rows: 1_500, columns: 2_000 });
    const region = { frame, scale, corners: corners(0, 0, 2_000, 1_500) };
    expect(regionValues(region)).toBe("uncounted");
    const left = new AbortController();
    const counting = countValues(region, left.signal);
    left.abort();
    await counting;
    expect(regionValues(region)).toBe("uncounted");
    await countValues(region, new AbortController().signal);
    expectValues(regionValues(region), {
      mean: 24.047485489371887,
      deviation: 591.1347203006227,
      lowest: -1000,
      highest: 1047.5,
      highestStored: 4095,
    });
  });

  test("are counted no further at once than the caller has time for", () => {
    const ellipse = ellipseOf(corners(0, 0, 64, 48));
    if (!ellipse) throw new Error("no ellipse");
    const count = new RegionCount(SMALL, ellipse);
    let parts = 1;
    while (!count.advance(200)) parts++;
    // π · 32 · 24 pixels, and rows that are counted to their end.
    expect(parts).toBeGreaterThan(8);
    const atOnce = new RegionCount(SMALL, ellipse);
    expect(atOnce.advance(Number.POSITIVE_INFINITY)).toBe(true);
    expect(count.values(scale)).toEqual(atOnce.values(scale));
  });
});

test("the area of a region is in the square of the pixels' unit", () => {
  const ellipse = ellipseOf(corners(10.3, 5.7, 40.9, 31.2));
  if (!ellipse) throw new Error("no ellipse");
  expect(ellipseArea(ellipse, { rows: 1, columns: 1 })).toBeCloseTo(612.8462, 3);
  expect(ellipseArea(ellipse, { rows: 0.8, columns: 0.5 })).toBeCloseTo(245.1385, 3);
});
