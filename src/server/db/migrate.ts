import type { TransactionSql } from "postgres";
import { assertFitDatabase } from "./assert-fit-database.ts";
import { isAnswerLost } from "./database.errors.ts";
import { DatabaseIsNewer, MigrationChanged } from "./migrate.errors.ts";
import { openPostgres, type Sql } from "./postgres.ts";
import { assertNotClaimed } from "./restore-claim.ts";
import { type StartupLockOptions, withStartupLock } from "./startup-lock.ts";

/** One file of the migrations folder, as drizzle's `readMigrationFiles` reads it. */
export interface Migration {
  /** Its statements. */
  sql: string[];
  /** The time of its generation, which identifies and orders it. */
  folderMillis: number;
  /** SHA-256 of the file. */
  hash: string;
}

/** An applied migration as the database records it. */
interface AppliedMigration {
  folderMillis: number;
  hash: string;
  /** Programs work on its schema if they have the migration of this time or a later one; null in rows of older programs. */
  worksFrom: number | null;
}

/** A line of a contracting migration; the number is the `when` of the journal's entry that a program must have. */
const CONTRACTS = /^-- contracts: works from (\d+)$/m;

/**
 * Brings the database up to the last of `migrations`, in one transaction, and returns how many it applied. A database of a newer
 * version is left as it is if this program works on it, so that an old node can start again during a rolling upgrade.
 * Idempotent; concurrent migrators wait for each other. Keeps drizzle-kit's own table of applied migrations, with one more column.
 * If an answer is lost, such as that to the end of the transaction, it begins once more with what the database has then.
 * @throws {DatabaseIsNewer | MigrationChanged}
 * @throws {DatabaseDoesNotFit} before the first migration
 * @throws {DatabaseIsBeingRestored} unless it is the restore that migrates
 */
export async function migrate(
  url: string,
  migrations: readonly Migration[],
  createLimits?: () => StartupLockOptions,
  { isRestore = false } = {},
): Promise<number> {
  const assertFree = isRestore ? async () => {} : assertNotClaimed;
  try {
    return await migrateOnce(url, migrations, createLimits?.(), assertFree);
  } catch (error) {
    if (!isAnswerLost(error)) throw error;
    return await migrateOnce(url, migrations, createLimits?.(), assertFree);
  }
}

async function migrateOnce(
  url: string,
  migrations: readonly Migration[],
  limits: StartupLockOptions | undefined,
  assertFree: (tx: TransactionSql) => Promise<void>,
): Promise<number> {
  const migrating = async (tx: TransactionSql) => {
    await assertFree(tx);
    if (!(await hasMigrations(tx))) await assertFitDatabase(tx);
    const applied = await appliedMigrations(tx);
    if (isNewerButWorks(migrations, applied)) return 0;
    const pending = pendingMigrations(migrations, applied);
    for (const migration of pending) {
      for (const statement of migration.sql) await tx.unsafe(statement);
      await tx`insert into drizzle.__drizzle_migrations (hash, created_at, works_from)
               values (${migration.hash}, ${migration.folderMillis}, ${worksFrom(migration)})`;
    }
    return pending.length;
  };
  return await withStartupLock(url, (tx, answered) => answered(migrating(tx)), limits);
}

/** 0 if the migration only expands the schema. */
function worksFrom({ sql }: Migration): number {
  return Number(CONTRACTS.exec(sql.join("\n"))?.[1] ?? 0);
}

/** Whether the database has all of `migrations` and, beyond them, only some on whose schema a program with these works. */
function isNewerButWorks(migrations: readonly Migration[], applied: readonly AppliedMigration[]): boolean {
  const known = new Map(migrations.map((migration) => [migration.folderMillis, migration.hash]));
  const newest = Math.max(...known.keys());
  const foreign = applied.filter(({ folderMillis }) => !known.has(folderMillis));
  const shared = applied.filter(({ folderMillis, hash }) => known.get(folderMillis) === hash);
  return (
    foreign.length > 0 &&
    shared.length === migrations.length &&
    foreign.every(
      ({ folderMillis, worksFrom }) => folderMillis > newest && worksFrom !== null && worksFrom <= newest,
    )
  );
}

/**
 * Returns those of `migrations` that the database has.
 * @throws {DatabaseIsNewer | MigrationChanged}
 */
export function appliedOf(url: string, migrations: readonly Migration[]): Promise<Migration[]> {
  return withStartupLock(url, async (tx, answered) => {
    const pending = new Set(pendingMigrations(migrations, await answered(appliedMigrations(tx))));
    return migrations.filter((migration) => !pending.has(migration));
  });
}

/** Whether a database was ever migrated, by whatever version. */
export async function isMigrated(url: string): Promise<boolean> {
  const sql = openPostgres(url, { max: 1 });
  try {
    return await hasMigrations(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function hasMigrations(sql: Sql | TransactionSql): Promise<boolean> {
  const [found] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as is_there`;
  return found?.is_there === true;
}

async function appliedMigrations(tx: TransactionSql): Promise<AppliedMigration[]> {
  await tx`create schema if not exists drizzle`;
  await tx`create table if not exists drizzle.__drizzle_migrations
             (id serial primary key, hash text not null, created_at bigint)`;
  await tx`alter table drizzle.__drizzle_migrations add column if not exists works_from bigint`;
  const rows = await tx<{ hash: string; created_at: string; works_from: string | null }[]>`
    select hash, created_at, works_from from drizzle.__drizzle_migrations`;
  return rows.map(({ hash, created_at, works_from }) => ({
    folderMillis: Number(created_at),
    hash,
    worksFrom: works_from === null ? null : Number(works_from),
  }));
}

function pendingMigrations(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.folderMillis, migration.hash]));
  for (const { folderMillis, hash } of applied) {
    const ours = known.get(folderMillis);
    if (ours === undefined) throw new DatabaseIsNewer();
    if (ours !== hash) throw new MigrationChanged(folderMillis);
  }
  const isApplied = new Set(applied.map(({ folderMillis }) => folderMillis));
  return migrations.filter(({ folderMillis }) => !isApplied.has(folderMillis));
}
