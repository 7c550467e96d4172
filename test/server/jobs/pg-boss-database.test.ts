import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Sql } from "../../../src/server/db/postgres.ts";
import { openJobsPool, pgBossDatabase } from "../../../src/server/jobs/pg-boss-database.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { startConnectionProxy } from "../../support/network/connection-proxy.ts";

setDefaultTimeout(240_000);

let database: TestDatabase;
let pool: Sql;
beforeAll(async () => {
  database = await createTestDatabase({ migrations: [] });
  pool = openJobsPool(database.url);
});
afterAll(async () => {
  await pool.end({ timeout: 1 });
  await database.drop();
});

/** The form in which pg-boss takes the next job. */
const nextOf = (queue: string) => `
    WITH

    next AS (
      SELECT j.id FROM (values (1, 'mail'), (2, 'purge')) j (id, name) WHERE j.name = '${queue}' LIMIT 1
    )
    SELECT j.id FROM (values (1, 'mail'), (2, 'purge')) j (id, name) JOIN next ON j.id = next.id
    WHERE j.name = '${queue}'`;

test("the polls of all queues share one plan of a connection", async () => {
  const { executeSql } = pgBossDatabase(pool);
  expect((await executeSql(nextOf("mail"))).rows).toEqual([{ id: 1 }]);
  expect((await executeSql(nextOf("purge"))).rows).toEqual([{ id: 2 }]);
  expect((await executeSql(nextOf("none"))).rows).toEqual([]);

  const { rows } = await executeSql(
    "select statement from pg_prepared_statements where statement like '%next AS%'",
  );
  expect(rows).toHaveLength(1);
});

test("a script commits as a whole or not at all, and returns its rows", async () => {
  const { executeSql } = pgBossDatabase(pool);
  const script = (last: string) => `
    BEGIN;
    create table if not exists public.script (line text);
    insert into public.script values ('written') returning line;
    ${last};
    COMMIT;
  `;
  await expect(executeSql(script("select 1 / 0"))).rejects.toThrow("division by zero");
  expect((await executeSql("select to_regclass('public.script') as script")).rows).toEqual([
    { script: null },
  ]);
  expect((await executeSql(script("select 2 as two"))).rows).toEqual([{ line: "written" }, { two: 2 }]);
  expect((await executeSql("select line from public.script")).rows).toEqual([{ line: "written" }]);
});

test("a script whose connection is lost is an error, and each statement after it gets its own answer", async () => {
  await using proxy = await startConnectionProxy(database.url);
  const lost = openJobsPool(proxy.url);
  const { executeSql } = pgBossDatabase(lost);
  await executeSql("select 1");
  setTimeout(proxy.sever, 100);
  const script = "BEGIN; set local client_connection_check_interval = 100; select pg_sleep(60); COMMIT;";
  await expect(executeSql(script)).rejects.toThrow();
  const answers = await Promise.all(
    [1, 2, 3, 4].map((number) => executeSql(`select ${number} as number`).then(({ rows }) => rows)),
  );
  expect(answers).toEqual([[{ number: 1 }], [{ number: 2 }], [{ number: 3 }], [{ number: 4 }]]);
  await lost.end({ timeout: 1 });
});
