import "../../support/client/dom-globals.ts";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import type { OpenPdf } from "../../../src/client/features/pdf/pdf-stage.tsx";
import { printPdf } from "../../../src/client/features/pdf/print-pdf.ts";
import { withDom } from "../../support/client/dom.ts";

withDom();

/** The test DOM draws nothing. */
let drawing: { mockRestore: () => void }[];
let printed: string[];
beforeEach(() => {
  printed = [];
  Image.prototype.decode ??= async () => undefined;
  drawing = [
    spyOn(HTMLCanvasElement.prototype, "toBlob").mockImplementation((take) => take(new Blob(["jpeg"]))),
    spyOn(Image.prototype, "decode").mockResolvedValue(undefined),
  ];
  window.print = () => {
    printed.push(`${document.querySelectorAll(".print-sheets img").length} pages`);
  };
});
afterEach(() => {
  for (const mock of drawing) mock.mockRestore();
});

/** A document of two pages; `onPage` is told which one is asked for. */
function pdfOf(onPage: (number: number) => void = () => undefined): OpenPdf {
  const page = {
    getViewport: () => ({ width: 100, height: 100 }),
    render: () => ({ promise: Promise.resolve() }),
  };
  const getPage = async (number: number) => {
    onPage(number);
    return page;
  };
  return { numPages: 2, getPage } as unknown as OpenPdf;
}

test("a document is printed once all of its pages are drawn, and its pictures are gone afterwards", async () => {
  await printPdf(pdfOf(), new AbortController().signal);
  expect(printed).toEqual(["2 pages"]);
  expect(document.querySelector(".print-sheets")).toBeNull();
});

test("a document that is left while its last page is drawn is not printed over the next view", async () => {
  const left = new AbortController();
  const printing = printPdf(
    pdfOf((number) => number === 2 && left.abort()),
    left.signal,
  );
  expect(await printing.catch(({ name }) => name)).toBe("AbortError");
  expect(printed).toEqual([]);
});
