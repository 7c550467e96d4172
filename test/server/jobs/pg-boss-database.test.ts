import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Sql } from "../../../src/server/db/postgres.ts";
import { openJobsPool, pgBossDatabase } from "../../../src/server/jobs/pg-boss-database.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

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
