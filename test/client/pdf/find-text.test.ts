import { describe, expect, test } from "bun:test";
import { findText, type Searchable } from "../../../src/client/features/pdf/find-text.ts";
import { pdfName } from "../../../src/client/features/pdf/save-file.ts";

function documentOf(...pages: string[]): Searchable {
  return {
    numPages: pages.length,
    getPage: async (number) => ({
      getTextContent: async () => ({ items: [{ type: "mark" }, { str: pages[number - 1] ?? "" }] }),
    }),
  };
}

describe("searching a PDF", () => {
  const report = documentOf("Técnica", "Análise do crânio", "Impressão", "Crânio normal");
  const find = (words: string, after: number) => findText(report, words, after, new AbortController().signal);

  test("case and accents don't matter, and the search goes round", async () => {
    expect(await find("CRANIO", 0)).toBe(2);
    expect(await find("cranio", 2)).toBe(4);
    expect(await find("cranio", 4)).toBe(2);
    expect(await find("tecnica", 1)).toBe(1);
  });

  test("what is not there is not found, and no words find nothing", async () => {
    expect(await find("fígado", 0)).toBeUndefined();
    expect(await find("  ", 0)).toBeUndefined();
  });

  test("a search that nobody waits for any more stops", async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(findText(report, "crânio", 0, controller.signal)).rejects.toThrow();
  });
});

test("a saved PDF is named by what its readers call it, without what file systems refuse", () => {
  expect(pdfName("Laudo", "Tomografia: crânio / sem", "2026-11-14")).toBe(
    "Laudo_Tomografia_crânio_sem_2026-11-14.pdf",
  );
  expect(pdfName("../..", null)).toBe("documento.pdf");
});
