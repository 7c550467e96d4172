import { dirname, join } from "node:path";
import { unzlibSync } from "fflate";
import decodeQR from "qr/decode.js";

interface PdfText {
  items: { str?: string }[];
}
interface ReadDocument {
  numPages: number;
  getPage(number: number): Promise<{ getTextContent(): Promise<PdfText> }>;
  getAttachments(): Promise<Map<string, { filename: string }> | null>;
  getAttachmentContent(name: string): Promise<Uint8Array>;
  getMetadata(): Promise<{ info: Record<string, unknown> }>;
}

/** A PDF as PDF.js, which is not ours, reads it. */
export async function readPdf(bytes: Uint8Array) {
  const reactPdf = dirname(Bun.resolveSync("react-pdf/package.json", import.meta.dir));
  const pdfjs = dirname(Bun.resolveSync("pdfjs-dist/package.json", reactPdf));
  const { getDocument } = await import(join(pdfjs, "legacy/build/pdf.mjs"));
  const document: ReadDocument = await getDocument({ data: bytes.slice(), verbosity: 0 }).promise;
  const pages = Array.from({ length: document.numPages }, (_, index) => document.getPage(index + 1));
  const texts = await Promise.all(pages.map(async (page) => (await (await page).getTextContent()).items));
  const names = [...((await document.getAttachments()) ?? new Map()).keys()];
  return {
    pages: texts.map((items) => items.map(({ str = "" }) => str).filter((line) => line.trim() !== "")),
    attachments: await Promise.all(
      names.map(async (name) => ({ name, content: await document.getAttachmentContent(name) })),
    ),
    info: (await document.getMetadata()).info,
  };
}

const SCALE = 4;
const QUIET = 4;

/** The text of the QR code that a page of ours draws as squares. */
export function readDrawnQr(pdf: Uint8Array): string {
  const squares = streamsOf(pdf)
    .flatMap((content) => [...content.matchAll(/([\d.]+) ([\d.]+) ([\d.]+) [\d.]+ re/g)])
    .map(([, x, y, side]) => ({ x: Number(x), y: Number(y), side: Number(side) }));
  const step = squares[0]?.side ?? 1;
  const [left, bottom] = [Math.min(...squares.map(({ x }) => x)), Math.min(...squares.map(({ y }) => y))];
  const rows = Math.round(Math.max(...squares.map(({ y }) => y - bottom)) / step);
  const width = (rows + 1 + 2 * QUIET) * SCALE;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const { x, y } of squares) {
    const across = (Math.round((x - left) / step) + QUIET) * SCALE;
    const down = (rows - Math.round((y - bottom) / step) + QUIET) * SCALE;
    for (let row = down; row < down + SCALE; row++)
      for (let column = across; column < across + SCALE; column++)
        data.set([0, 0, 0], (row * width + column) * 4);
  }
  return decodeQR({ width, height: width, data });
}

function streamsOf(pdf: Uint8Array): string[] {
  const text = Buffer.from(pdf).toString("latin1");
  return [...text.matchAll(/\/Length (\d+) \/Filter \/FlateDecode >>\nstream\n/g)].map((match) => {
    const start = match.index + match[0].length;
    return Buffer.from(unzlibSync(pdf.subarray(start, start + Number(match[1])))).toString("latin1");
  });
}
