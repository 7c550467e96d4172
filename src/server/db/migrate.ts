import type { TransactionSql } from "postgres";
import { DatabaseIsNewer, MigrationChanged } from "./migrate.errors.ts";
import { withStartupLock } from "./startup-lock.ts";

/** One file of the migrations folder, as drizzle's `readMigrationFiles` reads it. */
export interface Migration {
  /** Its statements. */
  sql: string[];
  /** The time of its generation, which identifies and orders it. */
  folderMillis: number;
  /** SHA-256 of the file. */
  hash: string;
}

/**
 * Brings the database up to the last of `migrations`, in one transaction, and returns how many it applied.
 * Idempotent; concurrent migrators wait for each other. Keeps drizzle-kit's own table of applied migrations.
 * @throws {DatabaseIsNewer | MigrationChanged}
 */
export function migrate(url: string, migrations: readonly Migration[]): Promise<number> {
  return withStartupLock(url, async (tx) => {
    const pending = pendingMigrations(migrations, await appliedMigrations(tx));
    for (const migration of pending) {
      for (const statement of migration.sql) await tx.unsafe(statement);
      await tx`insert into drizzle.__drizzle_migrations (hash, created_at)
               values (${migration.hash}, ${migration.folderMillis})`;
    }
    return pending.length;
  });
}

/**
 * Returns those of `migrations` that the database has.
 * @throws {DatabaseIsNewer | MigrationChanged}
 */
export function appliedOf(url: string, migrations: readonly Migration[]): Promise<Migration[]> {
  return withStartupLock(url, async (tx) => {
    const pending = new Set(pendingMigrations(migrations, await appliedMigrations(tx)));
    return migrations.filter((migration) => !pending.has(migration));
  });
}

/** The applied migrations: `folderMillis` → hash. */
async function appliedMigrations(tx: TransactionSql): Promise<Map<number, string>> {
  await tx`create schema if not exists drizzle`;
  await tx`create table if not exists drizzle.__drizzle_migrations
             (id serial primary key, hash text not null, created_at bigint)`;
  const rows = await tx<{ hash: string; created_at: string }[]>`
    select hash, created_at from drizzle.__drizzle_migrations`;
  return new Map(rows.map((row) => [Number(row.created_at), row.hash]));
}

function pendingMigrations(migrations: readonly Migration[], applied: Map<number, string>): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.folderMillis, migration.hash]));
  for (const [folderMillis, hash] of applied) {
    const ours = known.get(folderMillis);
    if (ours === undefined) throw new DatabaseIsNewer();
    if (ours !== hash) throw new MigrationChanged(folderMillis);
  }
  return migrations.filter((migration) => !applied.has(migration.folderMillis));
}
