import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { connectDatabase, type Database } from "../../../src/server/db/client.ts";
import { asOneStatement, type OneStatement } from "../../../src/server/db/one-statement.ts";
import { type Given, prepared } from "../../../src/server/db/prepared.ts";
import { runConcurrently } from "../../../src/server/db/run-concurrently.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";

setDefaultTimeout(240_000);

const boxes = pgTable("boxes", { id: integer().primaryKey(), name: text() });
const toys = pgTable("toys", { id: integer().primaryKey(), box: integer().notNull() });

const newBox = prepared((db, given: Given<{ id: number; name: string | null }>) =>
  db.insert(boxes).values({ id: given.id, name: given.name }),
);
const newToy = prepared((db, given: Given<{ id: number; box: number }>) =>
  db.insert(toys).values({ id: given.id, box: given.box }),
);
const renamed = prepared((db, given: Given<{ id: number; name: string }>) =>
  db
    .update(boxes)
    .set({ name: sql`${given.name}` })
    .where(eq(boxes.id, given.id))
    .returning({ id: boxes.id }),
);

const moved = prepared((db, given: Given<{ id: number; box: number }>) =>
  db
    .update(toys)
    .set({ box: sql`${given.box}` })
    .where(eq(toys.id, given.id))
    .returning({ box: toys.box }),
);

let owner: TestDatabase;
/** One connection, so that what it has prepared can be asked for. */
let database: Database;

beforeAll(async () => {
  owner = await createTestDatabase({ migrations: [] });
  await owner.sql.unsafe(`
    create table boxes (id int primary key, name text);
    create table toys (id int primary key, box int not null references boxes)`);
  database = connectDatabase({ url: owner.url, maxConnections: 1 });
});
beforeEach(async () => {
  await owner.sql`truncate boxes, toys`;
  await owner.sql`insert into boxes values (1, 'old')`;
});
afterAll(async () => {
  await database.close();
  await owner.drop();
});

async function inOne<Result>(work: (one: OneStatement) => Promise<Result>): Promise<Result> {
  return await database.db.transaction(async (tx) => await asOneStatement(tx, work));
}

async function rows(): Promise<{ boxes: unknown[]; toys: unknown[] }> {
  const { db } = database;
  return {
    boxes: await db.select().from(boxes).orderBy(boxes.id),
    toys: await db.select().from(toys).orderBy(toys.id),
  };
}

test("prepared statements run as one, which is prepared once, and the rows of one of them come back", async () => {
  for (const [box, toy] of [
    [2, 20],
    [3, 30],
  ] as const) {
    const [ids] = await inOne((one) =>
      runConcurrently(
        renamed(one, { id: 1, name: `new ${box}` }),
        newToy(one, { id: toy, box }), // refers to the box that comes after it
        newBox(one, { id: box, name: null }),
      ),
    );
    expect(ids).toEqual([{ id: 1 }]);
  }
  expect(await rows()).toEqual({
    boxes: [
      { id: 1, name: "new 3" },
      { id: 2, name: null },
      { id: 3, name: null },
    ],
    toys: [
      { id: 20, box: 2 },
      { id: 30, box: 3 },
    ],
  });
  const runs = await database.sql`
    select (generic_plans + custom_plans)::int as runs from pg_prepared_statements
    where statement ~ 'boxes.*toys|toys.*boxes' and statement !~ 'pg_prepared'`;
  expect([...runs]).toEqual([{ runs: 2 }]);
});

test("a statement given twice, and a second one that returns rows, follow by themselves", async () => {
  const found = await inOne((one) =>
    runConcurrently(
      newBox(one, { id: 2, name: "two" }),
      newBox(one, { id: 3, name: "three" }),
      newToy(one, { id: 20, box: 1 }),
      renamed(one, { id: 1, name: "first" }),
      renamed(one, { id: 2, name: "second" }),
      moved(one, { id: 20, box: 3 }),
    ),
  );
  expect(found.slice(3)).toEqual([[{ id: 1 }], [{ id: 2 }], [{ box: 3 }]]);
  expect(await rows()).toMatchObject({
    boxes: [{ name: "first" }, { name: "second" }, { name: "three" }],
    toys: [{ id: 20, box: 3 }],
  });
  const joint = await database.sql`
    select from pg_prepared_statements where statement ~ 'into "boxes".*into "boxes"' and statement !~ 'pg_prepared'`;
  expect(joint).toHaveLength(0);
});

test("a statement that fails takes the others back, and each of them fails", async () => {
  const outcomes: string[] = [];
  const work = inOne((one) => {
    const parts = [newBox(one, { id: 2, name: "two" }), newToy(one, { id: 20, box: 9 })];
    for (const part of parts)
      part.then(
        () => outcomes.push("done"),
        () => outcomes.push("failed"),
      );
    return runConcurrently(...parts);
  });
  await expect(work).rejects.toThrow();
  expect(outcomes).toEqual(["failed", "failed"]);
  expect(await rows()).toEqual({ boxes: [{ id: 1, name: "old" }], toys: [] });
});

test("a single statement is sent as it is", async () => {
  expect(await inOne((one) => renamed(one, { id: 1, name: "new" }))).toEqual([{ id: 1 }]);
  await inOne(async () => {});
});

test("a statement that comes after the others were sent is an error", async () => {
  const work = inOne(async (one) => {
    await newBox(one, { id: 2, name: "two" });
    await newBox(one, { id: 3, name: "three" });
  });
  await expect(work).rejects.toThrow(TypeError);
  expect((await rows()).boxes).toHaveLength(1);
});
