import { describe, expect, test } from "bun:test";
import {
  neighbourOf,
  positionOf,
  totalOf,
  withPageHits,
} from "../../../src/client/features/pdf/found-hits.ts";

/** Hits in the order of a search that began on page 5 and wrapped round. */
const counts = [
  { page: 7, count: 1 },
  { page: 2, count: 2 },
  { page: 3, count: 1 },
].reduce(withPageHits, new Map<number, number>());

describe("the hits of a search", () => {
  test("are visited in page order in both directions, wrapping round", () => {
    const way = (direction: 1 | -1) => {
      let at = { page: 7, index: 0 };
      return Array.from({ length: 5 }, () => {
        at = neighbourOf(counts, at, direction);
        return `${at.page}/${at.index}`;
      });
    };
    expect(way(1)).toEqual(["2/0", "2/1", "3/0", "7/0", "2/0"]);
    expect(way(-1)).toEqual(["3/0", "2/1", "2/0", "7/0", "3/0"]);
  });

  test("are numbered by their position in the document", () => {
    expect(positionOf(counts, { page: 2, index: 1 })).toBe(2);
    expect(positionOf(counts, { page: 7, index: 0 })).toBe(4);
    expect(totalOf(counts)).toBe(4);
  });

  test("wrap round to the same hit if there is only one", () => {
    const one = new Map([[4, 1]]);
    expect(neighbourOf(one, { page: 4, index: 0 }, 1)).toEqual({ page: 4, index: 0 });
    expect(neighbourOf(one, { page: 4, index: 0 }, -1)).toEqual({ page: 4, index: 0 });
  });
});
