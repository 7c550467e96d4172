import { mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import tailwind from "bun-plugin-tailwind";
import { type ClientGraph, clientGraphName, type Marks } from "../../src/server/render/client-graph.ts";
import { createAssetFolder } from "./asset-folder.ts";
import { cataloguePlugin } from "./catalogue-plugin.ts";
import { readCodecFiles } from "./codec-files.ts";
import { buildDiscPage } from "./disc-page.ts";
import { linguiPlugin } from "./lingui-plugin.ts";
import { type LinkedFile, linkedFiles, readLinkedFile } from "./linked-files.ts";
import { pdfPlugin, readPdfFiles } from "./pdf-files.ts";
import { unnamedPlugin } from "./unnamed-plugin.ts";
import { bundleWorkers, workerPlugin } from "./worker-plugin.ts";

const root = resolve(import.meta.dir, "../..");
const PUBLIC_PATH = "/assets/";
const ENTRY = "src/client/boot.ts";
const STYLES = "src/client/styles/index.css";
const ICON = "src/client/styles/icon.svg";
/** Drawn by `scripts/draw-marks.ts`. */
const MARKS = "src/client/marks";
const ISLANDS = {
  auth: "src/client/features/auth/auth-screen.tsx",
  help: "src/client/features/help/help-screen.tsx",
  his: "src/client/features/frame/his-screen.tsx",
  verify: "src/client/features/verification/verify-screen.tsx",
  visit: "src/client/features/visit/visit-screen.tsx",
  delivery: "src/client/features/delivery/delivery-screen.tsx",
} as const;
const HOME = "src/client/features/home/person-home.tsx";
const BELL = "src/client/features/notifications/notification-bell.tsx";
const VISOR = "src/client/visor/view/visor.tsx";
const LOCALES = { "pt-BR": "locales/pt-BR/messages.ts", "en-US": "locales/en-US/messages.ts" } as const;
const HIS_LOCALES = {
  "pt-BR": "src/client/his-messages.pt-BR.ts",
  "en-US": "src/client/his-messages.en-US.ts",
} as const;

/** Smaller chunks join others: a request costs a phone more than a few functions that its page does not need. */
const MIN_CHUNK_BYTES = 4_096;

export interface ClientBuildOptions {
  /** Replaced as a whole, once the new build is complete. */
  folder: string;
  /** Smaller and slower to make: minified, best compression. */
  release: boolean;
}

/** Bundles the client into `folder`: hashed, compressed assets, their `manifest.json` and `graph.json`. */
export async function buildClient({ folder, release }: ClientBuildOptions): Promise<ClientGraph> {
  const linked = linkedFiles(PUBLIC_PATH);
  const workers = await bundleWorkers(join(root, "src/client"), { minify: release });
  const pdf = await readPdfFiles();
  const codecs = await readCodecFiles(PUBLIC_PATH);
  const result = await Bun.build({
    entrypoints: [ENTRY, STYLES].map((path) => join(root, path)),
    root,
    target: "browser",
    format: "esm",
    splitting: true,
    minChunkSize: MIN_CHUNK_BYTES,
    minify: release,
    metafile: true,
    sourcemap: "none",
    publicPath: PUBLIC_PATH,
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: {
      "process.env.NODE_ENV": release ? '"production"' : '"development"',
      "process.env.PDF_WORKER_URL": JSON.stringify(PUBLIC_PATH + pdf.worker.name),
      "process.env.PDF_FILES": "undefined",
      "process.env.CODEC_URLS": JSON.stringify(codecs.urls),
    },
    plugins: [
      linked.plugin,
      tailwind,
      pdfPlugin,
      workerPlugin(workers, PUBLIC_PATH),
      cataloguePlugin,
      linguiPlugin({ stripMessages: release }),
      unnamedPlugin,
    ],
  });
  const styles = result.outputs.filter(({ path }) => path.endsWith(".css")).map((output) => output.text());
  const disc = await buildDiscPage({ release, styles: await Promise.all(styles) });
  // Only the HTML names the icon and the marks, so the bundler does not see them.
  const icon = await readLinkedFile(join(root, ICON));
  const files = [icon, ...(await readMarks()), ...linked.files.values()];
  const graph = createGraph(result, files);

  const staging = `${folder}.tmp-${process.pid}`;
  mkdirSync(staging, { recursive: true });
  try {
    const assets = createAssetFolder({ folder: staging, brotliQuality: release ? 11 : 4 });
    for (const { name, bytes } of [...files, ...codecs.files])
      await assets.add(name, bytes, { immutable: true });
    for (const { name, bytes } of [pdf.worker, disc])
      await assets.add(name, bytes, { immutable: true, isRare: true });
    for (const { name, bytes } of pdf.named)
      await assets.add(name, bytes, { immutable: false, isRare: true });
    for (const output of [...result.outputs, ...workers.values()]) {
      await assets.add(basename(output.path), new Uint8Array(await output.arrayBuffer()), {
        immutable: true,
      });
    }
    await assets.add(clientGraphName, Buffer.from(JSON.stringify(graph)), { immutable: false });
    assets.finish();
    rmSync(folder, { recursive: true, force: true });
    renameSync(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return graph;
}

type Metafile = NonNullable<Bun.BuildOutput["metafile"]>;

function createGraph(result: Bun.BuildOutput, files: LinkedFile[]): ClientGraph {
  const { metafile } = result;
  if (!metafile) throw new Error("the bundler gave no metafile");
  const url = (path: string) => PUBLIC_PATH + basename(path);
  const linkedUrls = (prefix: string) =>
    files.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => url(name));
  const linkedUrl = (prefix: string) => {
    const [found] = linkedUrls(prefix);
    if (!found) throw new Error(`there is no ${prefix}*`);
    return found;
  };
  const boot = outputOf(metafile, ENTRY);
  const preloads = (source: string) =>
    [
      ...new Set([...staticImports(metafile, boot), ...staticImports(metafile, outputOf(metafile, source))]),
    ].map(url);
  return {
    entry: url(boot),
    styles: result.outputs.filter(({ path }) => path.endsWith(".css")).map(({ path }) => url(path)),
    fonts: linkedUrls("instrument-sans-"),
    icon: linkedUrl("icon-"),
    marks: marksOf(linkedUrl),
    islands: {
      auth: preloads(ISLANDS.auth),
      help: preloads(ISLANDS.help),
      // Nearly everyone begins at a patient's home, and everyone has the bell.
      his: [...new Set([ISLANDS.his, HOME, BELL].flatMap(preloads))],
      verify: preloads(ISLANDS.verify),
      // Whoever opens a link wants to see its images.
      visit: [...new Set([...preloads(ISLANDS.visit), ...preloads(VISOR)])],
      delivery: preloads(ISLANDS.delivery),
    },
    visor: staticImports(metafile, outputOf(metafile, VISOR)).map(url),
    locales: {
      "pt-BR": url(outputOf(metafile, LOCALES["pt-BR"])),
      "en-US": url(outputOf(metafile, LOCALES["en-US"])),
    },
    hisLocales: {
      "pt-BR": url(outputOf(metafile, HIS_LOCALES["pt-BR"])),
      "en-US": url(outputOf(metafile, HIS_LOCALES["en-US"])),
    },
  };
}

async function readMarks(): Promise<LinkedFile[]> {
  const names = await Array.fromAsync(new Bun.Glob("*.png").scan({ cwd: join(root, MARKS) }));
  return Promise.all(names.sort().map((name) => readLinkedFile(join(root, MARKS, name))));
}

function marksOf(url: (prefix: string) => string): Marks {
  return {
    png32: url("mark-32-"),
    apple180: url("mark-180-"),
    png192: url("mark-192-"),
    png512: url("mark-512-"),
    maskable512: url("mark-maskable-512-"),
    storage: url("imagestorage-"),
    cards: { "pt-BR": url("card-pt-BR-"), "en-US": url("card-en-US-") },
  };
}

function outputOf(metafile: Metafile, source: string): string {
  const found = Object.entries(metafile.outputs).find(
    ([path, output]) => path.endsWith(".js") && output.entryPoint?.endsWith(source),
  );
  if (!found) throw new Error(`the bundler made no chunk for ${source}`);
  return found[0];
}

/** The chunk and everything that it imports statically; the chunk comes first. */
function staticImports(metafile: Metafile, chunk: string): string[] {
  const byName = new Map(Object.keys(metafile.outputs).map((path) => [basename(path), path]));
  const reached = new Set([chunk]);
  for (const path of reached) {
    for (const { kind, path: imported } of metafile.outputs[path]?.imports ?? []) {
      const output = byName.get(basename(imported));
      if (kind === "import-statement" && output) reached.add(output);
    }
  }
  return [...reached];
}

if (import.meta.main) {
  const started = performance.now();
  const graph = await buildClient({
    folder: join(root, "dist/client"),
    release: !process.argv.includes("--dev"),
  });
  console.log(`client built in ${Math.round(performance.now() - started)} ms, entry ${graph.entry}`);
}
