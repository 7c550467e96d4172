import { basename, dirname, resolve } from "node:path";
import type { BunPlugin } from "bun";

const STARTS_A_WORKER = /new URL\("(\.\/[\w-]+\.worker\.ts)", import\.meta\.url\)/g;

interface WorkerPluginOptions {
  minify: boolean;
  publicPath: string;
  /** Takes each bundled worker, to be written beside the other outputs. */
  onOutput: (output: Bun.BuildArtifact) => void;
}

/**
 * Bundles the workers that the client's sources start, each into one file of its own, and puts that file's URL in
 * place of `new URL("./name.worker.ts", import.meta.url)`.
 */
export const workerPlugin = (options: WorkerPluginOptions): BunPlugin => ({
  name: "worker",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]client[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const urls = new Map<string, string>();
      for (const [, worker = ""] of source.matchAll(STARTS_A_WORKER)) {
        urls.set(worker, await bundle(resolve(dirname(path), worker), options));
      }
      if (urls.size === 0) return undefined;
      const contents = source.replace(STARTS_A_WORKER, (_, worker) => JSON.stringify(urls.get(worker)));
      return { contents, loader: "ts" };
    });
  },
});

async function bundle(entry: string, { minify, publicPath, onOutput }: WorkerPluginOptions): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: "browser",
    format: "esm",
    minify,
    naming: "[name]-[hash].[ext]",
  });
  const [output] = outputs;
  if (!output || outputs.length > 1) throw new Error(`${entry} did not become one file`);
  onOutput(output);
  return `${publicPath}${basename(output.path)}`;
}
