import type { OpenPdf } from "./pdf-stage.tsx";

export const MAX_PRINTED_PAGES = 60;
const PRINT_SCALE = 150 / 72;
const MAX_SIDE_PX = 4_000;

/**
 * Prints at most `MAX_PRINTED_PAGES` pages as pictures. The browser's own PDF viewer is not used, because it would run a
 * PDF's scripts.
 * @throws the signal's reason when aborted before all pages are drawn
 */
export async function printPdf(pdf: OpenPdf, signal: AbortSignal): Promise<void> {
  const sheets = document.createElement("div");
  sheets.className = "print-sheets";
  const urls: string[] = [];
  try {
    const count = Math.min(pdf.numPages, MAX_PRINTED_PAGES);
    for (let number = 1; number <= count; number++) {
      const url = URL.createObjectURL(await drawPage(pdf, number));
      urls.push(url);
      const image = new Image();
      image.src = url;
      image.alt = "";
      await image.decode();
      signal.throwIfAborted();
      sheets.append(image);
    }
    document.body.append(sheets);
    window.print();
  } finally {
    sheets.remove();
    for (const url of urls) URL.revokeObjectURL(url);
  }
}

async function drawPage(pdf: OpenPdf, number: number): Promise<Blob> {
  const page = await pdf.getPage(number);
  const paper = page.getViewport({ scale: 1 });
  const scale = Math.min(PRINT_SCALE, MAX_SIDE_PX / Math.max(paper.width, paper.height));
  const viewport = page.getViewport({ scale });
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(viewport.width);
  canvas.height = Math.ceil(viewport.height);
  await page.render({ canvas, viewport, intent: "print" }).promise;
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  canvas.toBlob(resolve, "image/jpeg", 0.92);
  const blob = await promise;
  canvas.width = 0;
  if (!blob) throw new Error(`page ${number} could not be drawn for printing`);
  return blob;
}
