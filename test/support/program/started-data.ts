import { existsSync } from "node:fs";
import { mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/server/db/embedded/embedded-postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { startProductOnce } from "../database/database.ts";

/** Names a folder that {@link makeStartedData} fills. */
const FOLDER = "TEST_STARTED_DATA";

/** Makes the PostgreSQL of a DATA_DIR in which the product has started once. It appears in `folder` whole or not at all. */
export async function makeStartedData(folder: string): Promise<void> {
  const draft = join(folder, "draft");
  await mkdir(folder, { recursive: true });
  const postgres = await startEmbeddedPostgres({ dataDir: draft, log: createLogger({ level: "error" }) });
  await startProductOnce(postgres.url);
  await postgres.stop();
  await rename(join(draft, "postgres"), join(folder, "postgres"));
}

/**
 * Lays such a PostgreSQL into `dataDir`, if it has none and this run has made one: a server then starts there with half the
 * work. Tests of the first start itself do without.
 */
export async function layStartedData(dataDir: string): Promise<void> {
  const made = join(process.env[FOLDER] ?? "", "postgres");
  const target = join(dataDir, "postgres");
  if (!process.env[FOLDER] || !existsSync(made) || existsSync(target)) return;
  await mkdir(target, { recursive: true, mode: 0o700 });
  for (const name of await readdir(made)) {
    // Nothing writes to the programs, so links are enough.
    if (name === "data") await copy("-a", join(made, name), target);
    else if (/^\d/.test(name)) await copy("-al", join(made, name), target);
  }
}

/** By the system's own `cp`, which keeps the account that PostgreSQL runs as. */
async function copy(how: string, from: string, to: string): Promise<void> {
  const { exited, stderr } = Bun.spawn(["cp", how, from, to], { stdio: ["ignore", "ignore", "pipe"] });
  if ((await exited) !== 0) throw new Error(`cp: ${await new Response(stderr).text()}`);
}
