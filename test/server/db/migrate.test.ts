import { afterAll, beforeAll, expect, test } from "bun:test";
import { DatabaseIsNewer, MigrationChanged } from "../../../src/server/db/migrate.errors.ts";
import { appliedOf, type Migration, migrate } from "../../../src/server/db/migrate.ts";
import { migrations } from "../../../src/server/db/migrations.ts";
import { Patience } from "../../../src/server/db/patience.ts";
import { withStartupLock } from "../../../src/server/db/startup-lock.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { startConnectionProxy } from "../../support/network/connection-proxy.ts";
import { until } from "../../support/until.ts";

function migration(folderMillis: number, ...sql: string[]): Migration {
  return { sql, folderMillis, hash: new Bun.CryptoHasher("sha256").update(sql.join()).digest("hex") };
}

const FIRST = migration(1, "create table patients (id int primary key)", "insert into patients values (1)");
const SECOND = migration(2, "alter table patients add column seen int not null default 0");
const BROKEN = migration(3, "insert into patients values (2)", "insert into nowhere values (1)");

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ migrations: [] });
});
afterAll(() => database.drop());

test("several servers that start at once migrate the database once", async () => {
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.url, [FIRST])));
  expect(applied.sort()).toEqual([0, 0, 0, 1]);
  expect(await database.sql`select id from patients`).toHaveLength(1);
});

test("an upgrade applies only what is new", async () => {
  expect(await migrate(database.url, [FIRST, SECOND])).toBe(1);
  expect(await migrate(database.url, [FIRST, SECOND])).toBe(0);
  expect([...(await database.sql`select id, seen from patients`)]).toEqual([{ id: 1, seen: 0 }]);
});

test("a migration that fails leaves the database as it was", async () => {
  await expect(migrate(database.url, [FIRST, SECOND, BROKEN])).rejects.toMatchObject({ code: "42P01" });
  expect(await database.sql`select id from patients`).toHaveLength(1);
  expect(await migrate(database.url, [FIRST, SECOND])).toBe(0);
});

test("an older program starts on a schema that a newer one only expanded, and changes nothing", async () => {
  expect(await migrate(database.url, [FIRST])).toBe(0);
  expect(await database.sql`select 1 from drizzle.__drizzle_migrations`).toHaveLength(2);
});

test("an older program refuses a schema that contracted what it uses; the one before the contraction starts", async () => {
  const contracting = migration(4, "-- contracts: works from 2\nalter table patients drop column seen");
  expect(await migrate(database.url, [FIRST, SECOND, contracting])).toBe(1);
  await expect(migrate(database.url, [FIRST])).rejects.toThrow(DatabaseIsNewer);
  expect(await migrate(database.url, [FIRST, SECOND])).toBe(0);
});

test("an older program refuses migrations that say nothing of it, and ones that lie before its own", async () => {
  const other = migration(5, "select 1");
  await expect(migrate(database.url, [FIRST, SECOND, other])).rejects.toThrow(DatabaseIsNewer);
  await database.sql`update drizzle.__drizzle_migrations set works_from = null where created_at = 4`;
  await expect(migrate(database.url, [FIRST, SECOND])).rejects.toThrow(DatabaseIsNewer);
});

test("a backup by an older program is refused, since it would leave out what it does not know", async () => {
  await expect(appliedOf(database.url, [FIRST, SECOND])).rejects.toThrow(DatabaseIsNewer);
});

test("an edited migration is refused instead of being skipped or run again", async () => {
  const edited = { ...SECOND, hash: "other" };
  await expect(migrate(database.url, [FIRST, edited])).rejects.toThrow(MigrationChanged);
});

test("a start that takes long elsewhere keeps its lock, and ends as it should", async () => {
  const database = await createTestDatabase({ migrations: [] });
  const askedAt = async () => {
    const [row] = await database.sql`select state_change::text as at from pg_stat_activity
      where datname = current_database() and application_name = 'exameteca-startup'`;
    return row?.at;
  };
  const work = async () => {
    const first = await askedAt();
    // The lock's own connection is asked something while nobody uses it, long before the database would end it.
    await until(async () => (await askedAt()) !== first);
    return "started";
  };
  expect(await withStartupLock(database.url, work, { idleMs: 32_000 })).toBe("started");
  await database.drop();
}, 240_000);

test("a node that falls silent while it starts keeps no other one from starting", async () => {
  const database = await createTestDatabase({ migrations: [] });
  {
    await using proxy = await startConnectionProxy(database.url);
    const begun = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const silent = withStartupLock(
      proxy.url,
      async () => {
        begun.resolve();
        await left.promise;
      },
      { idleMs: 200 },
    );
    await begun.promise;
    proxy.forget();
    expect(await withStartupLock(database.url, async () => "started")).toBe("started");
    left.resolve();
    proxy.sever();
    await expect(silent).rejects.toThrow();
  }
  await database.drop();
}, 240_000);

test("a migration that gets no answer at all to a statement or its commit is looked for again, and a long one is waited for", async () => {
  const database = await createTestDatabase({ migrations: [] });
  {
    await using proxy = await startConnectionProxy(database.url);
    const impatience = () => ({ patience: new Patience(4_000, 4_000, 4_000), lookMs: 300 });
    const all = [migration(1, "select pg_sleep(1.5)", "create table slow ()")];
    expect(await migrate(proxy.url, all, impatience)).toBe(1);
    for (const [beginning, applied] of Object.entries({
      commit: 0,
      "create table lost": 1,
      "select pg_advisory_xact_lock": 1,
    })) {
      const table = `lost_${all.length}`;
      all.push(migration(all.length + 1, `create table ${table} ()`));
      const lost = proxy.loseAnswerTo(beginning, { silently: true });
      const migrated = migrate(proxy.url, all, impatience);
      await lost;
      expect(await migrated, beginning).toBe(applied);
      const [found] = await database.sql`select to_regclass(${table}) is not null as is_there`;
      expect(found?.is_there).toBe(true);
    }
  }
  await database.drop();
}, 240_000);

test("the new index of names lets the previous version end what it writes", async () => {
  const isBefore = ({ sql }: Migration) => !sql.join().includes("btree_gin");
  const previous = migrations.slice(
    0,
    migrations.findIndex((one) => !isBefore(one)),
  );
  const database = await createTestDatabase({ migrations: previous });
  let migrated: Promise<number> | undefined;
  await database.sql.begin(async (tx) => {
    await tx`select id from studies for update`;
    migrated = migrate(database.url, migrations);
    await until(
      async () =>
        (
          await database.sql`select 1 from pg_stat_activity
      where datname = current_database() and application_name = 'exameteca-startup' and wait_event_type = 'Lock'`
        ).length > 0,
    );
    await tx`update studies set labelled = labelled`;
  });
  expect(await migrated).toBe(migrations.length - previous.length);
  await database.drop();
}, 240_000);
