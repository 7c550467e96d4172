import { readConfig } from "../../../src/server/config.ts";
import { connectDatabase, type Database } from "../../../src/server/db/client.ts";
import { type Migration, migrate } from "../../../src/server/db/migrate.ts";
import { openPostgres, type Sql } from "../../../src/server/db/postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTempFolder } from "../temp-folder.ts";
import { testPostgresUrl } from "./postgres-server.ts";

export interface TestDatabase extends Database {
  url: string;
  /**
   * Ends the test's own connections and removes the database.
   * @throws if something still uses it: it would go on connecting to what is gone, many times a second, until the run ends
   */
  drop(): Promise<void>;
}

const ADMIN_IDLE_SECONDS = 20;

/**
 * A database of its own for a test file, cloned from a template that is made once.
 * @param options.migrations only these; default: all that a first start of the product makes
 */
export async function createTestDatabase(
  options: { migrations?: readonly Migration[] } = {},
): Promise<TestDatabase> {
  const { migrations } = options;
  const serverUrl = await testPostgresUrl();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const template = migrations
    ? await knownTemplate(serverUrl, hashOf(migrations), async (url) => {
        if (migrations.length > 0) await migrate(url, migrations);
      })
    : await knownTemplate(serverUrl, await firstStartHash(), async (url) => {
        await startProductOnce(url);
        await stopClock(url);
      });
  await sharedAdmin(serverUrl).unsafe(`create database ${name} template ${template} strategy file_copy`);
  const url = withDatabase(serverUrl, name);
  const database = connectDatabase({ url, maxConnections: 5 });
  const drop = async () => {
    await database.close();
    await dropDatabase(sharedAdmin(serverUrl), name);
  };
  return { url, ...database, drop };
}

let shared: Sql | undefined;

/** The connection by which all tests of this process make and drop their databases: a new one costs as much as that does. */
function sharedAdmin(serverUrl: string): Sql {
  shared ??= openPostgres(serverUrl, { max: 1, idle_timeout: ADMIN_IDLE_SECONDS });
  return shared;
}

const templates = new Map<string, Promise<string>>();

/** Asks only once in this process whether the template is there. */
function knownTemplate(
  serverUrl: string,
  hash: string,
  fill: (url: string) => Promise<void>,
): Promise<string> {
  const known = templates.get(hash);
  if (known) return known;
  const found = administer(serverUrl, (admin) => ensureTemplate(admin, serverUrl, hash, fill));
  templates.set(hash, found);
  found.catch(() => templates.delete(hash)); // the caller sees the error; the next one tries again
  return found;
}

async function dropDatabase(admin: Sql, name: string): Promise<void> {
  try {
    // Waits five seconds for connections that are ending.
    await admin.unsafe(`drop database ${name}`);
  } catch (error) {
    const users = await admin`select application_name from pg_stat_activity where datname = ${name}`;
    await admin.unsafe(`drop database ${name} with (force)`);
    throw new Error(`still in use by ${users.map((user) => user.application_name).join(", ")}`, {
      cause: error,
    });
  }
}

/** The template of that name. It gets its name when it is whole, so a killed process leaves none behind. */
async function ensureTemplate(
  admin: Sql,
  serverUrl: string,
  hash: string,
  fill: (url: string) => Promise<void>,
): Promise<string> {
  const template = `template_${hash.slice(0, 24)}`;
  await admin`select pg_advisory_lock(hashtext(${template}))`;
  try {
    const [existing] = await admin`select 1 from pg_database where datname = ${template}`;
    if (existing) return template;
    const draft = `draft_${crypto.randomUUID().replaceAll("-", "")}`;
    await admin.unsafe(`create database ${draft}`);
    await fill(withDatabase(serverUrl, draft));
    await admin.unsafe(`alter database ${draft} rename to ${template}`);
    return template;
  } finally {
    await admin`select pg_advisory_unlock(hashtext(${template}))`;
  }
}

function hashOf(migrations: readonly Migration[]): string {
  return new Bun.CryptoHasher("sha256").update(migrations.map((m) => m.hash).join()).digest("hex");
}

async function firstStartHash(): Promise<string> {
  const { migrations } = await import("../../../src/server/db/migrations.ts");
  const { version } = await import("pg-boss/package.json");
  return hashOf([...migrations, { hash: `started with pg-boss ${version}, no schedules` }] as Migration[]);
}

/**
 * Starts the product on an empty database and stops it: tables, plans, queues and schedules stay. Rows and queues of
 * the node that did it go: an app that begins with the template has yet to sweep, beat and enqueue by itself.
 */
export async function startProductOnce(url: string): Promise<void> {
  const { createDeps } = await import("../../../src/server/start-deps.ts");
  const { startJobs } = await import("../../../src/server/start-jobs.ts");
  await using folder = createTempFolder();
  const config = readConfig({ DATABASE_URL: url, DATA_DIR: folder.path, AUTH_SECRET: "x".repeat(32) });
  const deps = await createDeps(config, { log: createLogger({ level: "error" }) });
  const jobs = await startJobs(deps);
  await jobs[Symbol.asyncDispose]();
  await deps[Symbol.asyncDispose]();
  await administer(url, async (sql) => {
    await sql`truncate pgboss.job_common, nodes`;
    await sql`select pgboss.delete_queue(name) from pgboss.queue where name like ${`%.${deps.node.id}`}`;
    await sql`update pgboss.version set cron_on = null, bam_on = null, flow_on = null`;
  });
}

/** Nothing begins by the clock on the wall: a test's outcome must not depend on the minute in which it runs. */
async function stopClock(url: string): Promise<void> {
  await administer(url, async (sql) => {
    await sql`update pgboss.version set cron_on = now() + interval '1 year'`;
  });
}

async function administer<Result>(serverUrl: string, work: (admin: Sql) => Promise<Result>): Promise<Result> {
  const admin = openPostgres(serverUrl, { max: 1 });
  try {
    return await work(admin);
  } finally {
    await admin.end({ timeout: 5 });
  }
}

/** The same address with another database. */
function withDatabase(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}
