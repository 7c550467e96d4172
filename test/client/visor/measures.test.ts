import { describe, expect, test } from "bun:test";
import { type Measure, withoutLast, withPoint, withStroke } from "../../../src/client/visor/core/measures.ts";

const at = (x: number) => ({ x, y: 0 });
const on = (kind: Measure["kind"], sliceKey = "1/0") => ({ kind, sliceKey });
const columns = (measures: Measure[]) => measures.map(({ points }) => points.map(({ x }) => x));

describe("measures", () => {
  test("a stroke is a whole length, and takes the place of one that lacks its second point", () => {
    const tapped = withPoint([], on("length"), at(1));
    expect(columns(withPoint(tapped, on("length"), at(2)))).toEqual([[1, 2]]);
    const drawn = withStroke(tapped, on("length"), { from: at(3), to: at(4) });
    expect(columns(drawn)).toEqual([[3, 4]]);
    expect(columns(withStroke(drawn, on("length"), { from: at(5), to: at(6) }))).toEqual([
      [3, 4],
      [5, 6],
    ]);
  });

  test("two strokes are an angle, and a value is read where its stroke ends", () => {
    const side = withStroke([], on("angle"), { from: at(1), to: at(2) });
    expect(columns(withStroke(side, on("angle"), { from: at(8), to: at(3) }))).toEqual([[1, 2, 3]]);
    expect(columns(withStroke([], on("probe"), { from: at(1), to: at(2) }))).toEqual([[2]]);
  });

  test("a region is drawn by one stroke, or by two taps at its corners", () => {
    const tapped = withPoint([], on("region"), at(1));
    expect(columns(withPoint(tapped, on("region"), at(4)))).toEqual([[1, 4]]);
    expect(columns(withStroke(tapped, on("region"), { from: at(3), to: at(4) }))).toEqual([[3, 4]]);
  });

  test("the last one of a slice is taken away, and others stay", () => {
    const three = [1, 2].reduce<Measure[]>((made, x) => withPoint(made, on("probe"), at(x)), []);
    const measures = withPoint(three, on("probe", "2/0"), at(3));
    expect(columns(withoutLast(measures, "1/0"))).toEqual([[1], [3]]);
    expect(withoutLast(measures, "3/0")).toEqual(measures);
  });

  test("no more than 200 are kept, and none of them makes way for another", () => {
    let measures: Measure[] = [];
    for (let x = 0; x < 210; x++) measures = withPoint(measures, on("probe"), at(x));
    expect(measures).toHaveLength(200);
    expect(measures[0]?.points).toEqual([at(0)]);
    expect(withStroke(measures, on("length"), { from: at(1), to: at(2) })).toEqual(measures);
  });
});
