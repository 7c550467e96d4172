import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { inArray, type SQL, sql } from "drizzle-orm";
import { integer, pgTable } from "drizzle-orm/pg-core";
import { connectDatabase, type Database, type DbOrTx } from "../../../src/server/db/client.ts";
import { type Given, prepared } from "../../../src/server/db/prepared.ts";
import { PLANNED_ANEW } from "../../../src/server/db/preparing.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";

/*
 * What an upgrade of drizzle may undo without any other sign: it could reach PostgreSQL on ways that the wrapped client does
 * not see, and everything would still work, only slower.
 */

setDefaultTimeout(240_000);

const numbers = pgTable("numbers", { n: integer().primaryKey() });

let owner: TestDatabase;
/** One connection, so that what it has prepared can be asked for. */
let database: Database;

beforeAll(async () => {
  owner = await createTestDatabase({ migrations: [] });
  await owner.sql.unsafe("create table numbers (n int primary key)");
  database = connectDatabase({ url: owner.url, maxConnections: 1 });
});
afterAll(async () => {
  await database.close();
  await owner.drop();
});

/** How often the connection ran what it has prepared of the statements that hold `mark`. */
async function runsOf(mark: string): Promise<number> {
  const [row] = await database.sql`
    select coalesce(sum(generic_plans + custom_plans), 0)::int as runs from pg_prepared_statements
    where statement like ${`%${mark}%`} and statement not like '%pg_prepared_statements%'`;
  return row?.runs;
}

const marked = (mark: string): SQL => sql.raw(`/* ${mark} */ 1`);

async function selectTwice(db: DbOrTx, mark: string, values: number[] = [1, 2]): Promise<void> {
  for (let run = 0; run < 2; run++) {
    await db
      .select({ one: marked(mark) })
      .from(numbers)
      .where(inArray(numbers.n, values));
  }
}

test("a statement is prepared once, on the pool, in a transaction and in one within it", async () => {
  const { db } = database;
  await selectTwice(db, "pool");
  await db.transaction(async (tx) => {
    await selectTwice(tx, "outer");
    await tx.transaction(async (nested) => await selectTwice(nested, "nested"));
  });
  for (let run = 0; run < 2; run++) await db.execute(sql`select ${1}::int /* raw */`);
  expect(await Promise.all(["pool", "outer", "nested", "raw"].map(runsOf))).toEqual([2, 2, 2, 2]);
});

test("a statement written once is prepared once, on the pool and in a transaction", async () => {
  const ofNumber = prepared((db, given: Given<{ n: number }>) =>
    db
      .select({ one: marked("written once") })
      .from(numbers)
      .where(sql`${numbers.n} = ${given.n}`),
  );
  await ofNumber(database.db, { n: 1 });
  await database.db.transaction(async (tx) => await ofNumber(tx, { n: 2 }));
  expect(await runsOf("written once")).toBe(2);
});

test("a statement is not kept that has many values, or asks to be planned anew", async () => {
  await selectTwice(
    database.db,
    "many",
    Array.from({ length: 41 }, (_, n) => n),
  );
  for (let run = 0; run < 2; run++)
    await database.db.execute(sql`${sql.raw(PLANNED_ANEW)} select ${1}::int /* replanned */`);
  expect(await Promise.all(["many", "replanned"].map(runsOf))).toEqual([0, 0]);
});
