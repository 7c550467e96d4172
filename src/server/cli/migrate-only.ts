import type { Config } from "../config.ts";
import { attachOrStart } from "../db/embedded/embedded-postgres.ts";
import { migrate } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { assertRestored } from "../features/safekeeping/restore/assert-restored.ts";
import { createLogger } from "../runtime/log.ts";
import type { Program } from "./program.ts";

/** Migrates the database to this version, and starts the embedded PostgreSQL if it does not run. */
export async function migrateOnly(program: Program, config: Config): Promise<number> {
  await using database = await reachDatabase(program, config);
  const applied = await migrate(database.url, migrations);
  process.stdout.write(
    applied === 0 ? "The database is up to date.\n" : `Applied ${applied} migration(s).\n`,
  );
  return 0;
}

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

/** As {@link reachDatabase}, for the restore itself. */
export async function startOrAttach(
  program: Program,
  config: Config,
): Promise<{ url: string } & AsyncDisposable> {
  if (config.databaseUrl) return { url: config.databaseUrl, [Symbol.asyncDispose]: async () => {} };
  const postgres = await attachOrStart({
    dataDir: config.dataDir,
    log: createLogger({ level: "warn" }),
    binaries: program.postgresBinaries,
  });
  return { url: postgres.url, [Symbol.asyncDispose]: () => postgres.stop() };
}
