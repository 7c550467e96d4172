import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { BunPlugin } from "bun";

const SERVER = join(import.meta.dir, "../../../src/server");
const SOURCE = join(SERVER, "main.ts");
/** Names the file that {@link bundleProgram} makes. */
const BUNDLED = process.env.TEST_PROGRAM ?? "";
/** Names the folder that {@link bundleWorkers} fills. */
const WORKERS = process.env.TEST_WORKERS ?? "";

/** Those that many tests start. `src/server` names them by the folder of the file that starts them. */
const WORKER_SOURCES = {
  dimse: "features/receivers/worker/dimse-worker.ts",
  encode: "features/derivatives/worker/encode-worker.ts",
  ingest: "features/ingest/worker/ingest-worker.ts",
  picture: "features/thumbnails/worker/picture-worker.ts",
};

const COMPILED = { target: "bun", format: "cjs", bytecode: true } as const;

/** The program for `bun` to run: the bundle if this run has made one, else the source. */
export const programFile = (): string => (existsSync(BUNDLED) ? BUNDLED : SOURCE);

/** Starts a worker from its bundle; `undefined` if this run has made none. */
export function workerCommand(kind: keyof typeof WORKER_SOURCES): string[] | undefined {
  const bundle = bundleOf(WORKERS, WORKER_SOURCES[kind]);
  return existsSync(bundle) ? [process.execPath, bundle] : undefined;
}

const bundleOf = (folder: string, worker: string) => join(folder, basename(worker).replace(/ts$/, "js"));

/** Bundles and compiles the workers, which then start with two thirds of the work. */
export async function bundleWorkers(folder: string): Promise<void> {
  for (const worker of Object.values(WORKER_SOURCES))
    await Bun.build({
      ...COMPILED,
      entrypoints: [join(SERVER, worker)],
      outdir: folder,
      // Of the codecs beside it: else they are looked for in the folder where a process starts.
      publicPath: `${folder}/`,
    });
}

/** Bundles and compiles the program, which then starts with half the work. It appears whole or not at all. */
export async function bundleProgram(file: string, workersFolder: string): Promise<void> {
  const folder = dirname(file);
  await Bun.build({
    ...COMPILED,
    entrypoints: [SOURCE],
    outdir: `${folder}-draft`,
    plugins: [bundledWorkers(workersFolder)],
  });
  await rename(`${folder}-draft`, folder);
}

const STARTS_WORKER =
  /join\(import\.meta\.dir, "(?:worker\/)?((?:dimse|encode|ingest|picture)-worker\.ts)"\)/;

/** Names the workers' bundles in the code that starts them. All other paths stay those of the sources. */
function bundledWorkers(folder: string): BunPlugin {
  return {
    name: "bundled-workers",
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/]server[\\/]features[\\/].*\.ts$/ }, async ({ path }) => {
        const source = await Bun.file(path).text();
        const contents = source.replace(STARTS_WORKER, (_, worker) =>
          JSON.stringify(bundleOf(folder, worker)),
        );
        return { contents, loader: "ts" };
      });
    },
  };
}
