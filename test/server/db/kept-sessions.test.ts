import { expect, setDefaultTimeout, test } from "bun:test";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { takesChanges } from "../../../src/server/db/renew-sessions.ts";
import { createTestDatabase } from "../../support/database.ts";
import { startKeepingPooler } from "../../support/keeping-pooler.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(240_000);

const KEPT = 3;

test("a pooler that kept read-only sessions gives no more of them once the database takes changes", async () => {
  const database = await createTestDatabase({ migrations: [] });
  await using pooler = await startKeepingPooler(database.url);
  const [named] = await database.sql`select current_database() as name`;
  await database.sql.unsafe(`alter database ${named?.name} set default_transaction_read_only = on`);
  const clients = Array.from({ length: KEPT }, () => openPostgres(pooler.url, { max: 1 }));
  const isReadOnly = async (sql: (typeof clients)[number]) =>
    (await sql`select current_setting('transaction_read_only') as value`)[0]?.value === "on";
  expect(await Promise.all(clients.map(isReadOnly))).toEqual(clients.map(() => true));
  await Promise.all(clients.map((sql) => sql.end({ timeout: 1 })));
  expect(await takesChanges(pooler.url)).toBe(false);

  await database.sql.unsafe(`alter database ${named?.name} reset default_transaction_read_only`);
  await until(async () => await takesChanges(pooler.url), 10_000);
  const next = openPostgres(pooler.url, { max: 1 });
  expect(await isReadOnly(next)).toBe(false);
  await next.end({ timeout: 1 });
  await pooler[Symbol.asyncDispose]();
  await database.drop();
});
