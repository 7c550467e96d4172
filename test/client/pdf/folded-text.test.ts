import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  countHits,
  findHits,
  foldQuery,
  foldWithPlaces,
} from "../../../src/client/features/pdf/folded-text.ts";

const marked = (source: string, words: string) =>
  findHits(source, foldQuery(words)).map(({ start, end }) => source.slice(start, end));

describe("the text marked on a page", () => {
  test("is the original text, with its accents", () => {
    expect(marked("Crânio e CRANIO; cra\u0302nio.", "cranio")).toEqual(["Crânio", "CRANIO", "cra\u0302nio"]);
    expect(marked("joão, joa\u0303", "JOA")).toEqual(["joã", "joa\u0303"]);
  });

  test("may span lines, runs of spaces and ligatures", () => {
    expect(marked("linha   média\ncentrada", "media centrada")).toEqual(["média\ncentrada"]);
    expect(marked("calci\ufb01cações", "calcific")).toEqual(["calci\ufb01c"]);
  });

  test("has no overlaps", () => {
    expect(marked("aaaa", "aa")).toEqual(["aa", "aa"]);
  });

  test("has as many marks as counted hits, for any text", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    fc.assert(
      fc.property(text, fc.string({ unit: "binary", minLength: 1, maxLength: 3 }), (source, words) => {
        const wanted = foldQuery(words);
        const hits = findHits(source + words + source, wanted);
        expect(hits).toHaveLength(countHits(foldWithPlaces(source + words + source).text, wanted));
        for (const { start, end } of hits) expect(end).toBeGreaterThan(start);
      }),
    );
  });
});
