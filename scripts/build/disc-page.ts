import { basename, join, resolve } from "node:path";
import { catalogueOf } from "./catalogue-plugin.ts";
import { readCodecBytes } from "./codec-files.ts";
import { linguiPlugin } from "./lingui-plugin.ts";
import { packPdfFiles, pdfPlugin } from "./pdf-files.ts";
import { bundleWorkers, inlineWorkerPlugin } from "./worker-plugin.ts";

const root = resolve(import.meta.dir, "../..");
const ENTRY = "src/client/features/disc/disc-page.tsx";

interface DiscPageOptions {
  release: boolean;
  /** The client's style sheets. */
  styles: string[];
}

/**
 * Bundles the page that lies on a medium: script, workers, codecs and styles in one piece of HTML, because a page of a disc may load
 * nothing beside it.
 */
export async function buildDiscPage({ release, styles }: DiscPageOptions) {
  const workers = await bundleWorkers(join(root, "src/client"), { minify: release, format: "iife" });
  const codecs = Object.entries(await readCodecBytes()).map(([name, bytes]) => [
    name,
    `data:application/wasm;base64,${Buffer.from(bytes).toString("base64")}`,
  ]);
  const { outputs } = await Bun.build({
    entrypoints: [join(root, ENTRY)],
    root,
    target: "browser",
    format: "iife",
    minify: release,
    naming: "[name]-[hash].[ext]",
    define: {
      // A script that is no module has no address.
      "import.meta.url": '""',
      "process.env.NODE_ENV": release ? '"production"' : '"development"',
      "process.env.PDF_WORKER_URL": '""',
      "process.env.PDF_FILES": JSON.stringify(await packPdfFiles()),
      "process.env.CODEC_URLS": JSON.stringify(JSON.stringify(Object.fromEntries(codecs))),
    },
    plugins: [
      pdfPlugin,
      await inlineWorkerPlugin(workers),
      catalogueOf(ENTRY),
      linguiPlugin({ stripMessages: release }),
    ],
  });
  const [script] = outputs;
  if (!script || outputs.length > 1) throw new Error(`${ENTRY} did not become one file`);
  // HTML would end the script there, or take what follows for a comment.
  const text = (await script.text()).replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  // A page of a disc has the system's fonts.
  const css = styles.join("\n").replaceAll(/@font-face\s*\{[^}]*\}/g, "");
  const html = `<style>${css}</style>\n<div id="disc"></div>\n<script>${text}</script>\n`;
  return { name: basename(script.path).replace(/\.js$/, ".html"), bytes: Buffer.from(html) };
}
