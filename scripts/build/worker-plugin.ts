import { basename, dirname, resolve } from "node:path";
import type { BunPlugin } from "bun";

const STARTS_A_WORKER = /new URL\("(\.\/[\w-]+\.worker\.ts)", import\.meta\.url\)/g;

/** Path of a worker's source → the bundled worker. */
export type BundledWorkers = ReadonlyMap<string, Bun.BuildArtifact>;

/**
 * Bundles each `*.worker.ts` below `folder` into one file. Call it before the build that starts the workers: the bundler does not
 * follow a worker's URL, and a build inside a plugin's callback never ends.
 */
export async function bundleWorkers(folder: string, options: WorkerOptions): Promise<BundledWorkers> {
  const workers = new Map<string, Bun.BuildArtifact>();
  for await (const path of new Bun.Glob("**/*.worker.ts").scan({ cwd: folder, absolute: true })) {
    workers.set(path, await bundle(path, options));
  }
  return workers;
}

interface WorkerOptions {
  minify: boolean;
  /** `iife` for workers that are no modules. */
  format?: "esm" | "iife";
}

/** Replaces `new URL("./name.worker.ts", import.meta.url)` by the URL of the bundled worker. */
export function workerPlugin(workers: BundledWorkers, publicPath: string): BunPlugin {
  return {
    name: "worker",
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/]client[\\/].*\.ts$/ }, async ({ path }) => {
        const source = await Bun.file(path).text();
        if (!source.includes(".worker.ts")) return undefined;
        const contents = source.replace(STARTS_A_WORKER, (_, name: string) => {
          const worker = workers.get(resolve(dirname(path), name));
          if (!worker) throw new Error(`${basename(path)} starts ${name}, which does not exist`);
          return JSON.stringify(publicPath + basename(worker.path));
        });
        return { contents, loader: "ts" };
      });
    },
  };
}

/** Replaces the same by the URL of a blob, for a page of a disc: browsers start no module there. */
export async function inlineWorkerPlugin(workers: BundledWorkers): Promise<BunPlugin> {
  const sources = new Map<string, string>();
  for (const [path, worker] of workers) sources.set(path, await worker.text());
  return {
    name: "inline-worker",
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/]client[\\/].*\.ts$/ }, async ({ path }) => {
        const source = await Bun.file(path).text();
        if (!source.includes(".worker.ts")) return undefined;
        const contents = source.replace(STARTS_A_WORKER, (_, name: string) => {
          const text = sources.get(resolve(dirname(path), name));
          if (text === undefined) throw new Error(`${basename(path)} starts ${name}, which does not exist`);
          return `URL.createObjectURL(new Blob([${JSON.stringify(text)}], { type: "text/javascript" }))`;
        });
        return { contents: contents.replaceAll('type: "module"', 'type: "classic"'), loader: "ts" };
      });
    },
  };
}

async function bundle(entry: string, { minify, format = "esm" }: WorkerOptions): Promise<Bun.BuildArtifact> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: "browser",
    format,
    minify,
    naming: "[name]-[hash].[ext]",
  });
  const [output] = outputs;
  if (!output || outputs.length > 1) throw new Error(`${entry} did not become one file`);
  return output;
}
