import { join, resolve } from "node:path";
import { readCodecFiles } from "../build/codec-files.ts";
import { linguiPlugin } from "../build/lingui-plugin.ts";

const manifest = join(resolve(import.meta.dir, "../.."), "dist/client/manifest.json");

/** The `/assets/` of the last build. Workers come from there, because Bun's development server makes none. */
async function builtAsset(prefix: string): Promise<string> {
  const { assets } = (await Bun.file(manifest).json()) as { assets: Record<string, unknown> };
  return JSON.stringify(`/assets/${Object.keys(assets).find((name) => name.startsWith(prefix)) ?? ""}`);
}

const packFolder = await builtAsset("pack-folder.worker-");
const DECODERS = ["plain", "jpeg", "jpeg-ls", "jpeg-2000", "ht-jpeg-2000"];
const decoders = await Promise.all(
  DECODERS.map(async (kind) => ({
    source: `new URL("./decode-${kind}.worker.ts", import.meta.url)`,
    url: await builtAsset(`decode-${kind}.worker-`),
  })),
);
const { urls: codecUrls } = await readCodecFiles("/assets/");
const pdfWorker = await builtAsset("pdf.worker.min-");

/** Prepares the client's sources for Bun's development server: compiles macros and names workers. */
export default linguiPlugin({
  stripMessages: false,
  prepare: (source) =>
    decoders
      .reduce((text, decoder) => text.replace(decoder.source, decoder.url), source)
      .replace("process.env.CODEC_URLS", JSON.stringify(codecUrls))
      .replace('new URL("./pack-folder.worker.ts", import.meta.url)', packFolder)
      .replace("process.env.PDF_WORKER_URL", pdfWorker)
      .replaceAll("process.env.PDF_FILES", "undefined"),
});
