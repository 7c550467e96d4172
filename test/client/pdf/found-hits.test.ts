import { describe, expect, test } from "bun:test";
import {
  neighbourOf,
  positionOf,
  totalOf,
  withPageHits,
} from "../../../src/client/features/pdf/found-hits.ts";

/** As found by a search that began on page 5 and went round. */
const counts = [
  { page: 7, count: 1 },
  { page: 2, count: 2 },
  { page: 3, count: 1 },
].reduce(withPageHits, new Map<number, number>());

describe("the hits of a search", () => {
  test("are stepped through in the order of the pages, round and round, and back again", () => {
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

  test("are numbered by their place in the document", () => {
    expect(positionOf(counts, { page: 2, index: 1 })).toBe(2);
    expect(positionOf(counts, { page: 7, index: 0 })).toBe(4);
    expect(totalOf(counts)).toBe(4);
  });

  test("one alone follows itself", () => {
    const one = new Map([[4, 1]]);
    expect(neighbourOf(one, { page: 4, index: 0 }, 1)).toEqual({ page: 4, index: 0 });
    expect(neighbourOf(one, { page: 4, index: 0 }, -1)).toEqual({ page: 4, index: 0 });
  });
});
