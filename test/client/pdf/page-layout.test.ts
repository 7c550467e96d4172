import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  drawnPages,
  layOut,
  nextZoom,
  pageAt,
  percentOf,
  pinchedZoom,
  pixelRatioOf,
  scaleOf,
} from "../../../src/client/features/pdf/page-layout.ts";

const a4 = { width: 595, height: 842 };
const desk = { width: 1000, height: 800 };

describe("the pages of a PDF", () => {
  test("a document of 10,000 pages draws only the few visible ones, wherever the reader is", () => {
    const tops = layOut(10_000, 1.5, () => a4);
    const total = tops[10_000] ?? 0;
    for (const scrollTop of [0, total / 2, total - desk.height]) {
      const drawn = drawnPages(tops, scrollTop, desk.height);
      expect(drawn.length).toBeLessThanOrEqual(5);
      expect(drawn).toContain(pageAt(tops, scrollTop + desk.height / 2));
    }
    expect(drawnPages(tops, total, desk.height).at(-1)).toBe(9_999);
  });

  test("the number of drawn pages is bounded even if they are as small as a stamp", () => {
    const tops = layOut(10_000, 1, () => ({ width: 1, height: 1 }));
    expect(drawnPages(tops, 0, 4_000).length).toBeLessThanOrEqual(25);
  });

  test("the page at a scroll height is the last one that begins above it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 0, max: 200_000 }),
        (heights, y) => {
          const tops = layOut(heights.length, 1, (index) => ({ width: 100, height: heights[index] ?? 0 }));
          const above = heights.map((_, index) => index).filter((index) => (tops[index] ?? 0) <= y);
          expect(pageAt(tops, y)).toBe(above.at(-1) ?? 0);
        },
      ),
    );
  });

  test("a page as wide as the desk fills its width, a whole page fits its height", () => {
    expect(scaleOf("width", a4, desk) * a4.width).toBeCloseTo(960);
    expect(scaleOf("page", a4, desk) * a4.height).toBeCloseTo(760);
    expect(percentOf(scaleOf(1, a4, desk))).toBe(100);
    expect(percentOf(scaleOf("auto", a4, desk))).toBe(100);
    expect(scaleOf("auto", a4, { width: 360, height: 600 }) * a4.width).toBeCloseTo(320);
  });

  test("zooming goes from step to step and ends at the last", () => {
    expect(nextZoom(scaleOf(1, a4, desk), 1)).toBe(1.25);
    expect(nextZoom(scaleOf(1, a4, desk), -1)).toBe(0.75);
    expect(nextZoom(scaleOf("width", a4, desk), 1)).toBe(1.25);
    expect(nextZoom(scaleOf(4, a4, desk), 1)).toBe(4);
    expect(nextZoom(scaleOf(0.25, a4, desk), -1)).toBe(0.25);
  });

  test("a page as large as a wall gets a canvas that a browser can hold", () => {
    const wall = { width: 14_400, height: 14_400 };
    const ratio = pixelRatioOf(wall, 4, 3);
    expect(wall.width * 4 * ratio * (wall.height * 4 * ratio)).toBeLessThanOrEqual(16_000_001);
    expect(pixelRatioOf(a4, 1, 3)).toBe(2);
  });
});

test("a pinch zooms by the factor of the fingers' distance, within the range of the buttons", () => {
  const scale = scaleOf(1, a4, desk);
  expect(percentOf(scaleOf(pinchedZoom(scale, 1.5), a4, desk))).toBe(150);
  expect(pinchedZoom(scale, 100)).toBe(4);
  expect(pinchedZoom(scale, 0.001)).toBe(0.25);
});
