import type { Migration } from "./migrate.ts";
import { readMigrations } from "./read-migrations.macro.ts" with { type: "macro" };

/** Every migration of this version of the program, oldest first. */
export const migrations: Migration[] = readMigrations();
