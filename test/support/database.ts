import { connectDatabase, type Database } from "../../src/server/db/client.ts";
import { type Migration, migrate } from "../../src/server/db/migrate.ts";
import { openPostgres, type Sql, withDatabase } from "../../src/server/db/postgres.ts";
import { testPostgresUrl } from "./postgres-server.ts";

export interface TestDatabase extends Database {
  url: string;
  /** Ends the connections and removes the database. */
  drop(): Promise<void>;
}

/**
 * A database of its own for a test file, cloned from a template that is migrated once.
 * @param options.migrations default: the project's
 */
export async function createTestDatabase(
  options: { migrations?: readonly Migration[] } = {},
): Promise<TestDatabase> {
  const migrations = options.migrations ?? (await import("../../src/server/db/migrations.ts")).migrations;
  const serverUrl = await testPostgresUrl();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await administer(serverUrl, async (admin) => {
    const template = await ensureTemplate(admin, serverUrl, migrations);
    await admin.unsafe(`create database ${name} template ${template}`);
  });
  const url = withDatabase(serverUrl, name);
  const database = connectDatabase({ url, maxConnections: 5 });
  const drop = async () => {
    await database.close();
    await administer(serverUrl, (admin) => admin.unsafe(`drop database ${name} with (force)`));
  };
  return { url, ...database, drop };
}

/** The template of these migrations. It gets its name when it is whole, so a killed process leaves none behind. */
async function ensureTemplate(
  admin: Sql,
  serverUrl: string,
  migrations: readonly Migration[],
): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(migrations.map((m) => m.hash).join()).digest("hex");
  const template = `template_${hash.slice(0, 24)}`;
  await admin`select pg_advisory_lock(hashtext(${template}))`;
  try {
    const [existing] = await admin`select 1 from pg_database where datname = ${template}`;
    if (existing) return template;
    const draft = `draft_${crypto.randomUUID().replaceAll("-", "")}`;
    await admin.unsafe(`create database ${draft}`);
    if (migrations.length > 0) await migrate(withDatabase(serverUrl, draft), migrations);
    await admin.unsafe(`alter database ${draft} rename to ${template}`);
    return template;
  } finally {
    await admin`select pg_advisory_unlock(hashtext(${template}))`;
  }
}

async function administer<Result>(serverUrl: string, work: (admin: Sql) => Promise<Result>): Promise<Result> {
  const admin = openPostgres(serverUrl, { max: 1 });
  try {
    return await work(admin);
  } finally {
    await admin.end({ timeout: 5 });
  }
}
