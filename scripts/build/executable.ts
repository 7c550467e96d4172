import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeEmbedModule } from "./embed-assets.ts";
import { executableStep, isFresh, markFresh, postgresStep, quickExecutableStep } from "./freshness.ts";
import { writeNotices } from "./notices.ts";
import { packPostgres } from "./pack-postgres.ts";
import { buildViewer } from "./viewer.ts";

const root = resolve(import.meta.dir, "../..");
const dist = join(root, "dist");
const QUICK_LEVEL = 1;

export interface ExecutableOptions {
  /** `dist/quick/exameteca` instead: the viewer as it was built last, and PostgreSQL packed in no time. */
  isQuick?: boolean;
}

/**
 * Builds `dist/exameteca` for the machine it runs on: Bun, the server, the client, the viewer, PostgreSQL, the
 * migrations, the catalogues and the notices in one file, which appears whole or not at all. Client and catalogues
 * must have been built. Returns its path.
 */
export async function buildExecutable({ isQuick = false }: ExecutableOptions = {}): Promise<string> {
  const generated = join(dist, isQuick ? "quick" : "executable");
  mkdirSync(generated, { recursive: true });
  if (isQuick) await packPostgres(generated, QUICK_LEVEL);
  else await packRelease(generated);
  await writeNotices(join(dist, "THIRD-PARTY-NOTICES.txt"));
  writeEmbedModule(join(dist, "client"), join(generated, "client.gen.ts"));
  writeEmbedModule(join(dist, "viewer"), join(generated, "viewer.gen.ts"));
  const entry = join(generated, "entry.gen.ts");
  writeFileSync(entry, ENTRY);
  const unfinished = join(generated, "exameteca.unfinished");
  const result = await Bun.build({
    entrypoints: [entry],
    root,
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    sourcemap: "none",
    define: { "process.env.NODE_ENV": '"production"' },
    // Settings come from the environment only; a file in the current folder is somebody else's.
    compile: { outfile: unfinished, autoloadDotenv: false, autoloadBunfig: false },
  });
  if (!result.success || !existsSync(unfinished)) {
    throw new AggregateError(result.logs, "the executable did not compile");
  }
  const path = join(dist, isQuick ? "quick/exameteca" : "exameteca");
  renameSync(unfinished, path);
  markFresh(isQuick ? quickExecutableStep : executableStep);
  return path;
}

/** The viewer and PostgreSQL, compressed as much as they can be. */
async function packRelease(generated: string): Promise<void> {
  await buildViewer({ release: true });
  if (isFresh(postgresStep)) return;
  await packPostgres(generated);
  markFresh(postgresStep);
}

/** The program of `src/server/main.ts`; embedded files stand in for its folders. */
const ENTRY = `import { ELEMENT_WORKER, INGEST_WORKER, PICTURE_WORKER, run } from "../../src/server/cli/run.ts";
import { embeddedAssets } from "../../src/server/render/assets.ts";
import license from "../../LICENSE" with { type: "file" };
import notices from "../THIRD-PARTY-NOTICES.txt" with { type: "file" };
import * as client from "./client.gen.ts";
import { postgresBinaries } from "./postgres.gen.ts";
import * as viewer from "./viewer.gen.ts";

const text = (path: string) => Bun.file(path).text();
// Linux: the link to the running file, because the file at our path may be gone or a newer version by now.
const self = process.platform === "linux" ? "/proc/self/exe" : process.execPath;

const code = await run(
  {
    assets: () => ({
      client: embeddedAssets(client.manifest, client.files),
      viewer: embeddedAssets(viewer.manifest, viewer.files),
    }),
    postgresBinaries,
    ingestWorkerCommand: [self, INGEST_WORKER],
    pictureWorkerCommand: [self, PICTURE_WORKER],
    elementWorkerCommand: [self, ELEMENT_WORKER],
    licenses: async () => (await text(license)) + (await text(notices)),
  },
  process.argv.slice(2),
);
process.exit(code);
`;

if (import.meta.main) {
  const startedAt = performance.now();
  const { size } = Bun.file(await buildExecutable());
  console.log(
    `dist/exameteca: ${(size / 1e6).toFixed(1)} MB, ${Math.round(performance.now() - startedAt)} ms`,
  );
}
