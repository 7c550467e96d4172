import { basename, dirname, join } from "node:path";
import { transform } from "esbuild";
import { type LinkedFile, readLinkedFile } from "./linked-files.ts";

/**
 * Character maps, the fonts a PDF need not carry, and the image decoders (the ones in plain JavaScript: the page's policy lets no
 * WebAssembly run).
 */
const NAMED = ["cmaps/*.bcmap", "standard_fonts/*.{pfb,ttf}", "wasm/*_nowasm_fallback.js"];
/** The build for browsers of the last few years; the default build needs a browser of this year. */
const BUILD = "legacy/build";
/** Safari before 17 knows no flag `v` of regular expressions: it loses a file that has one, whether that line runs or not. */
const OLDEST = "safari16.4";

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

/** The fonts of signs that systems lack, and the decoders of images. */
const WITHIN = [
  "standard_fonts/FoxitSymbol.pfb",
  "standard_fonts/FoxitDingbats.pfb",
  "wasm/{jbig2,openjpeg}.wasm",
];

/**
 * What PDF.js reads at run time, for a page that has it within itself.
 * @returns value of `process.env.PDF_FILES`: an object as JSON, each file by its name, compressed by gzip, as Base64
 */
export async function packPdfFiles(): Promise<string> {
  const folder = pdfjsFolder();
  const packed: Record<string, string> = {};
  const pack = (name: string, bytes: Uint8Array<ArrayBuffer>) => {
    packed[name] = Buffer.from(Bun.gzipSync(bytes, { level: 9 })).toString("base64");
  };
  for (const pattern of WITHIN) {
    for await (const path of new Bun.Glob(pattern).scan({ cwd: folder, absolute: true }))
      pack(basename(path), await Bun.file(path).bytes());
  }
  // Browsers start no module from a page of a disc, where a script has no address either.
  const { outputs } = await Bun.build({
    entrypoints: [join(folder, BUILD, "pdf.worker.min.mjs")],
    target: "browser",
    format: "iife",
    minify: true,
    define: { "import.meta.url": '""' },
  });
  const [worker] = outputs;
  if (!worker || outputs.length > 1) throw new Error("the worker of PDF.js did not become one file");
  pack("worker", new Uint8Array(await worker.arrayBuffer()));
  return JSON.stringify(packed);
}

/** Makes the bundler take the half of PDF.js that fits the worker above, and of react-pdf's other import what older browsers read. */
export const pdfPlugin: Bun.BunPlugin = {
  name: "pdf",
  setup(build) {
    build.onResolve({ filter: /^pdfjs-dist$/ }, () => ({ path: join(pdfjsFolder(), BUILD, "pdf.mjs") }));
    build.onLoad({ filter: /[\\/]pdfjs-dist[\\/]web[\\/]pdf_viewer\.mjs$/ }, async ({ path }) => {
      const { code } = await transform(await Bun.file(path).text(), { target: OLDEST });
      return { contents: code, loader: "js" };
    });
  },
};

/** The folder of the package that react-pdf loads. */
function pdfjsFolder(): string {
  const reactPdf = dirname(Bun.resolveSync("react-pdf/package.json", import.meta.dir));
  return dirname(Bun.resolveSync("pdfjs-dist/package.json", reactPdf));
}
