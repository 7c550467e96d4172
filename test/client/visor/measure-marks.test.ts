import "../../support/client/dom-globals.ts";
import { beforeAll, expect, test } from "bun:test";
import { activateLocale, i18n } from "../../../src/client/i18n.ts";
import type { Measure } from "../../../src/client/visor/core/measures.ts";
import type { Point } from "../../../src/client/visor/draw/placement.ts";
import { type Mark, measureMarks } from "../../../src/client/visor/view/measure-marks.ts";
import type { ShownPicture } from "../../../src/client/visor/view/use-picture.ts";
import { withDom } from "../../support/client/dom.ts";

withDom();
beforeAll(() => activateLocale("pt-BR"));

const FILM = { width: 360, height: 360, letterPx: 13 };
const MIDDLE = { x: 180, y: 180 };

function marksOf(regions: [left: number, top: number, right: number, bottom: number][]): Mark[] {
  const measures = regions.map(([left, top, right, bottom]): Measure => {
    const points: Point[] = [
      { x: left, y: top },
      { x: right, y: bottom },
    ];
    return { kind: "region", sliceKey: "1/0", points };
  });
  const slice = { key: "1/0", frameIndex: 0, metadata: {}, geometry: { spacing: { rows: 1, columns: 1 } } };
  const indexes = new Uint16Array(360 * 360).fill(1_000);
  const levels = { first: 0, step: 1, levels: 65_536, lowest: 0, highest: 65_535 };
  const frame = { kind: "grey", rows: 360, columns: 360, indexes, ...levels };
  const pixels = { rows: 360, columns: 360, pixelAspect: 1, rescale: { slope: 1, intercept: 0 } };
  const shown = { slice, pixels, picture: { frame } } as unknown as ShownPicture;
  const placement = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };
  return measureMarks(measures, { shown, isCoarse: false, placement, film: FILM }, i18n);
}

/** Where the lines are written. */
function boxOf({ label, lines }: Mark) {
  const across = Math.max(...lines.map(({ length }) => length)) * 8;
  const top = label.y - FILM.letterPx;
  return { left: label.x, right: label.x + across, top, bottom: top + lines.length * FILM.letterPx * 1.25 };
}

test("what is written of a region is within the film and not over its middle, wherever the region is", () => {
  for (let x = -40; x <= 400; x += 40) {
    for (let y = -40; y <= 400; y += 20) {
      for (const [mark] of [
        marksOf([[x - 30, y - 20, x + 30, y + 20]]),
        marksOf([[0, y - 200, 360, y + 200]]),
      ]) {
        if (!mark) throw new Error("no mark");
        const { left, right, top, bottom } = boxOf(mark);
        expect([left >= 0, right <= FILM.width, top >= 0, bottom <= FILM.height]).toEqual(
          Array(4).fill(true),
        );
        const isOver = left < MIDDLE.x && right > MIDDLE.x && top < MIDDLE.y && bottom > MIDDLE.y;
        expect({ x, y, isOver }).toEqual({ x, y, isOver: false });
      }
    }
  }
});

test("what is written of two regions is apart where one of them has room on its other side", () => {
  const [one, other] = marksOf([
    [120, 100, 200, 150],
    [0, 0, 360, 350],
  ]).map(boxOf);
  expect(one?.bottom).toBeLessThan(100);
  expect(other?.top).toBeGreaterThan(250);
});

test("what is written of several regions is apart as long as there is room", () => {
  const boxes = marksOf([
    [120, 90, 200, 130],
    [130, 95, 190, 125],
    [0, 0, 360, 350],
    [10, 10, 350, 340],
  ]).map(boxOf);
  const tops = boxes.map(({ top }) => top).sort((a, b) => a - b);
  for (const [at, top] of tops.entries()) expect(top - (tops[at - 1] ?? -100)).toBeGreaterThan(48);
});
