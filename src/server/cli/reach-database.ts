import type { Config } from "../config.ts";
import { attachOrStart, hasCluster } from "../db/embedded/embedded-postgres.ts";
import { isMigrated } from "../db/migrate.ts";
import { assertRestored } from "../features/safekeeping/restore/assert-restored.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { commandLog } from "./command-log.ts";
import type { Program } from "./program.ts";

/**
 * Connects to DATABASE_URL or to the embedded PostgreSQL: the one that runs already, else one that runs for this command
 * only.
 * @throws {RestoreIsUnfinished}
 */
export async function reachDatabase(
  program: Program,
  config: Config,
): Promise<{ url: string } & AsyncDisposable> {
  await assertRestored(config.dataDir);
  return await startOrAttach(program, config);
}

/** Nothing was ever installed where the settings point. */
export class NoInstallation extends OperatorError {
  override name = "NoInstallation";
  constructor(where: string) {
    super(`There is no installation in ${where}: look at DATA_DIR and DATABASE_URL.`);
  }
}

/**
 * As {@link reachDatabase}, for a command that makes no sense without an installation: it starts no new one.
 * @throws {RestoreIsUnfinished | NoInstallation}
 */
export async function reachInstallation(
  program: Program,
  config: Config,
): Promise<{ url: string } & AsyncDisposable> {
  const { dataDir, databaseUrl } = config;
  if (!databaseUrl && !(await hasCluster(dataDir))) throw new NoInstallation(dataDir);
  const database = await reachDatabase(program, config);
  if (await isMigrated(database.url)) return database;
  await database[Symbol.asyncDispose]();
  throw new NoInstallation(databaseUrl ? "the database of DATABASE_URL" : dataDir);
}

/** As {@link reachDatabase}, for the restore itself. */
export async function startOrAttach(
  program: Program,
  config: Config,
): Promise<{ url: string } & AsyncDisposable> {
  if (config.databaseUrl) return { url: config.databaseUrl, [Symbol.asyncDispose]: async () => {} };
  const postgres = await attachOrStart({
    dataDir: config.dataDir,
    log: commandLog,
    binaries: program.postgresBinaries,
  });
  return { url: postgres.url, [Symbol.asyncDispose]: () => postgres.stop() };
}
