import type { Config } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { counted } from "./counted.ts";
import type { Program } from "./program.ts";
import { reachDatabase } from "./reach-database.ts";
import { tell } from "./tell.ts";

/** `migrate`: brings the database up to this version; an embedded PostgreSQL that does not run is started for it. */
export async function migrateCommand(program: Program, config: Config): Promise<number> {
  await using database = await reachDatabase(program, config);
  const applied = await migrate(database.url, migrations);
  await tell(applied === 0 ? "The database is up to date." : `Applied ${counted(applied, "migration")}.`);
  return 0;
}
