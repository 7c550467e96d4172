import { basename, dirname, join } from "node:path";
import { type LinkedFile, readLinkedFile } from "./linked-files.ts";

/**
 * Character maps, the fonts a PDF need not carry, and the image decoders (the ones in plain JavaScript: the page's policy lets no
 * WebAssembly run).
 */
const NAMED = ["cmaps/*.bcmap", "standard_fonts/*.{pfb,ttf}", "wasm/*_nowasm_fallback.js"];
/** The build for browsers of the last few years; the default build needs a browser of this year. */
const BUILD = "legacy/build";

export interface PdfFiles {
  worker: LinkedFile;
  /** PDF.js asks for these by their own names. */
  named: LinkedFile[];
}

/** What PDF.js fetches at run time beside its bundled half. */
export async function readPdfFiles(): Promise<PdfFiles> {
  const folder = pdfjsFolder();
  const named: LinkedFile[] = [];
  for (const pattern of NAMED) {
    for await (const path of new Bun.Glob(pattern).scan({ cwd: folder, absolute: true })) {
      named.push({ name: basename(path), bytes: await Bun.file(path).bytes() });
    }
  }
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { worker: await readLinkedFile(join(folder, BUILD, "pdf.worker.min.mjs")), named };
}

/** Makes the bundler take the half of PDF.js that fits the worker above. */
export const pdfPlugin: Bun.BunPlugin = {
  name: "pdf",
  setup(build) {
    build.onResolve({ filter: /^pdfjs-dist$/ }, () => ({ path: join(pdfjsFolder(), BUILD, "pdf.mjs") }));
  },
};

/** The folder of the package that react-pdf loads. */
function pdfjsFolder(): string {
  const reactPdf = dirname(Bun.resolveSync("react-pdf/package.json", import.meta.dir));
  return dirname(Bun.resolveSync("pdfjs-dist/package.json", reactPdf));
}
