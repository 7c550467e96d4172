import { describe, expect, test } from "bun:test";
import { type PageHits, type Searchable, TextFinder } from "../../../src/client/features/pdf/find-text.ts";

/** Pages of lines; counts how often a page's text was read. */
function documentOf(...pages: string[][]) {
  const asked: number[] = [];
  const pdf: Searchable = {
    numPages: pages.length,
    getPage: async (number) => ({
      getTextContent: async () => {
        asked.push(number);
        const lines = (pages[number - 1] ?? []).map((str) => ({ str, hasEOL: true }));
        return { items: [{ type: "beginMarkedContent" }, ...lines] };
      },
    }),
  };
  return { finder: new TextFinder(pdf), asked };
}

const unstopped = new AbortController().signal;

async function all(hits: AsyncIterable<PageHits>): Promise<string[]> {
  const told: string[] = [];
  for await (const { page, count } of hits) told.push(`page ${page}: ${count}`);
  return told;
}

describe("searching a PDF", () => {
  const report = () =>
    documentOf(["Técnica"], ["Análise do crânio", "Crânio"], ["Impressão"], ["Crânio normal"]);
  const find = (words: string, from = 1) => all(report().finder.find(words, from, unstopped));

  test("ignores case and accents, begins at the reader's page and wraps round", async () => {
    expect(await find("CRANIO")).toEqual(["page 2: 2", "page 4: 1"]);
    expect(await find("cranio", 3)).toEqual(["page 4: 1", "page 2: 2"]);
    expect(await find("tecnica", 2)).toEqual(["page 1: 1"]);
  });

  test("finds words across the end of a line", async () => {
    expect(await find("do cranio cranio")).toEqual(["page 2: 1"]);
  });

  test("finds nothing for missing words and for an empty query", async () => {
    expect(await find("fígado")).toEqual([]);
    expect(await find("  ")).toEqual([]);
  });

  test("reads each page once, however many searches there are", async () => {
    const { finder, asked } = report();
    await all(finder.find("crânio", 1, unstopped));
    await all(finder.find("crânio normal", 1, unstopped));
    expect(asked).toEqual([1, 2, 3, 4]);
  });

  test("stops when it is aborted", async () => {
    const controller = new AbortController();
    controller.abort();
    const { finder, asked } = report();
    await expect(all(finder.find("crânio", 1, controller.signal))).rejects.toThrow();
    expect(asked).toEqual([1]);
  });

  test("reads at most 2,000 pages of a document of 10,000, and reports that", async () => {
    const { finder, asked } = documentOf(...Array.from({ length: 10_000 }, () => ["nada"]));
    expect(await all(finder.find("crânio", 9_999, unstopped))).toEqual([]);
    expect(asked).toHaveLength(2_000);
    expect(finder.isPartial).toBe(true);
  });
});
