import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Migration } from "./migrate.ts";

/** Reads the project's migrations folder. Runs when its caller is transpiled, so the executable contains them. */
export function readMigrations(): Migration[] {
  const migrationsFolder = join(import.meta.dir, "../../../migrations");
  return readMigrationFiles({ migrationsFolder }).map(({ sql, folderMillis, hash }) => ({
    sql,
    folderMillis,
    hash,
  }));
}
