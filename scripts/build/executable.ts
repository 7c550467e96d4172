import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeEmbedModule } from "./embed-assets.ts";
import { executableStep, isFresh, markFresh, postgresStep } from "./freshness.ts";
import { writeNotices } from "./notices.ts";
import { packPostgres } from "./pack-postgres.ts";
import type { Target } from "./target.ts";
import { type TargetParts, targetParts } from "./target-parts.ts";
import { buildViewer } from "./viewer.ts";

const root = resolve(import.meta.dir, "../..");
const dist = join(root, "dist");
const QUICK_LEVEL = 1;

/**
 * Builds an executable: Bun, the server, the client, the viewer, PostgreSQL, the migrations, the catalogues and the
 * notices in one file, which appears whole or not at all. Client and catalogues must have been built.
 */
export async function buildExecutable(target: Target): Promise<void> {
  const generated = join(dist, target.folder);
  mkdirSync(generated, { recursive: true });
  const parts = await targetParts(target);
  if (!target.isQuick) await buildViewer({ release: true });
  await packPostgresOnce(target, parts, generated);
  await writeNotices(join(generated, "THIRD-PARTY-NOTICES.txt"), parts.postgresPackage);
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
    compile: {
      outfile: unfinished,
      ...(parts.runtime && { executablePath: parts.runtime.path, target: parts.runtime.target }),
      // Settings come from the environment only; a file in the current folder is somebody else's.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  if (!result.success || !existsSync(unfinished)) {
    throw new AggregateError(result.logs, "the executable did not compile");
  }
  renameSync(unfinished, join(dist, target.file));
  markFresh(executableStep(target));
}

async function packPostgresOnce(
  target: Target,
  { postgres: binaries }: TargetParts,
  generated: string,
): Promise<void> {
  const step = postgresStep(target);
  if (isFresh(step)) return;
  await packPostgres(generated, { binaries, ...(target.isQuick && { level: QUICK_LEVEL }) });
  markFresh(step);
}

/** The program of `src/server/main.ts`; embedded files stand in for its folders. */
const ENTRY = `import { DIMSE_WORKER, ELEMENT_WORKER, ENCODE_WORKER, INGEST_WORKER, JUDGE_WORKER, PICTURE_WORKER, run } from "../../src/server/cli/run.ts";
import { embeddedAssets } from "../../src/server/render/assets.ts";
import license from "../../LICENSE" with { type: "file" };
import notices from "./THIRD-PARTY-NOTICES.txt" with { type: "file" };
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
    encodeWorkerCommand: [self, ENCODE_WORKER],
    elementWorkerCommand: [self, ELEMENT_WORKER],
    dimseWorkerCommand: [self, DIMSE_WORKER],
    judgeWorkerCommand: [self, JUDGE_WORKER],
    licenses: async () => (await text(license)) + (await text(notices)),
  },
  process.argv.slice(2),
);
process.exit(code);
`;
