import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { eq, inArray, sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  date,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import type { DbOrTx } from "../../../src/server/db/client.ts";
import { byColumn, type RowsByColumn, selectGiven } from "../../../src/server/db/given-rows.ts";
import { type Given, prepared } from "../../../src/server/db/prepared.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";

setDefaultTimeout(240_000);

const mood = pgEnum("mood", ["calm", "wild"]);
const things = pgTable("things", {
  id: uuid().primaryKey(),
  name: text(),
  sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
  count: integer(),
  isKept: boolean("is_kept").notNull(),
  mood: mood(),
  day: date(),
  madeAt: timestamp("made_at", { withTimezone: true }),
  details: jsonb().$type<unknown>(),
});
type Thing = typeof things.$inferSelect;

let database: TestDatabase;
let other: TestDatabase;

beforeAll(async () => {
  [database, other] = await Promise.all([open(), open()]);
});
beforeEach(async () => {
  for (const { sql: client } of [database, other]) await client`truncate things`;
});
afterAll(async () => {
  await Promise.all([database.drop(), other.drop()]);
});

async function open(): Promise<TestDatabase> {
  const opened = await createTestDatabase({ migrations: [] });
  await opened.sql.unsafe(`
    create type mood as enum ('calm', 'wild');
    create table things (id uuid primary key, name text, size_bytes bigint not null, count int, is_kept boolean not null,
      mood mood, day date, made_at timestamptz, details jsonb)`);
  return opened;
}

const full: Thing = {
  id: "01a1ffaa-0000-7000-8000-000000000001",
  name: 'Ana "Ção" \\ {1,2}, null',
  sizeBytes: 2 ** 40 + 1,
  count: -3,
  isKept: true,
  mood: "wild",
  day: "1987-06-05",
  madeAt: new Date("2026-11-21T22:23:24.567Z"),
  details: { deep: [1, 'two "2" \\', null, { three: true }] },
};
const bare: Thing = {
  id: "01a1ffaa-0000-7000-8000-000000000002",
  name: null,
  sizeBytes: 0,
  count: null,
  isKept: false,
  mood: null,
  day: null,
  madeAt: null,
  details: null,
};

const addThing = prepared((db, given: Given<Thing>) => {
  const { id, name, sizeBytes, count, isKept, details, day, madeAt } = given;
  return db
    .insert(things)
    .values({ id, name, sizeBytes, count, isKept, mood: given.mood, day, madeAt, details });
});
const addThings = prepared((db, given: Given<RowsByColumn<typeof things>>) =>
  db
    .insert(things)
    .select(selectGiven(things, given))
    .onConflictDoUpdate({ target: things.id, set: { name: sql`excluded.name` } }),
);
const thing = prepared((db, given: Given<{ id: string }>) =>
  db.select().from(things).where(eq(things.id, given.id)),
);
const named = prepared((db, given: Given<{ ids: string[] }>) =>
  db.select({ name: things.name }).from(things).where(sql`${things.id} = any(${given.ids}::uuid[])`),
);
const rename = prepared((db, given: Given<{ id: string; name: string; at: Date }>) =>
  db
    .update(things)
    .set({ name: sql`${given.name}`, madeAt: sql`${sql.param(given.at, things.madeAt)}` })
    .where(eq(things.id, given.id))
    .returning({ name: things.name, madeAt: things.madeAt }),
);

/** The rows as drizzle reads them by an unprepared statement. */
async function read(db: DbOrTx, ...ids: string[]): Promise<Thing[]> {
  return await db.select().from(things).where(inArray(things.id, ids)).orderBy(things.id);
}

test("every type comes back as it went in, and null as null, by one row or by many", async () => {
  for (const row of [full, bare]) await addThing(database.db, row);
  expect(await read(database.db, full.id, bare.id)).toEqual([full, bare]);
  await database.sql`truncate things`;
  await addThings(database.db, byColumn(things, [full, bare]));
  expect(await read(database.db, full.id, bare.id)).toEqual([full, bare]);
  expect(await thing(database.db, { id: full.id })).toEqual([full]);
  const nulls = await database.sql`select 1 from things where id = ${bare.id} and details is null`;
  expect(nulls).toHaveLength(1);
});

test("a value that is left out is null", async () => {
  const { id, sizeBytes, isKept } = full;
  const add = prepared((db, given: Given<Partial<Thing>>) =>
    db.insert(things).values({
      id: given.id,
      sizeBytes: given.sizeBytes,
      isKept: given.isKept,
      madeAt: given.madeAt,
      details: given.details,
    }),
  );
  await add(database.db, { id, sizeBytes, isKept, madeAt: undefined });
  expect(await read(database.db, id)).toEqual([{ ...bare, id, sizeBytes, isKept }]);
  const isLeftOut = prepared((db, given: Given<{ name?: string }>) =>
    db.select({ name: sql<boolean>`${given.name}::text is null` }).from(things),
  );
  expect(await isLeftOut(database.db, {})).toEqual([{ name: true }]);
});

test("one statement accepts any number of rows, including none and rows that exist already", async () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => ({
    ...bare,
    id: Bun.randomUUIDv7(),
    name: `${n}`,
    count: n,
  }));
  await addThings(database.db, byColumn(things, rows));
  await addThings(database.db, byColumn(things, []));
  await addThings(database.db, byColumn(things, [{ ...bare, id: rows[7]?.id ?? "", name: "again" }]));
  const [counted] = await database.sql`select count(*)::int, sum(count)::int from things`;
  expect(counted).toEqual({ count: 3_000, sum: (3_000 * 2_999) / 2 });
  expect(await named(database.db, { ids: [rows[7]?.id ?? "", rows[8]?.id ?? ""] })).toContainEqual({
    name: "again",
  });
});

test("a statement's change is visible in its transaction at once, outside after the commit, and never after a rollback", async () => {
  await database.db.transaction(async (tx) => {
    await addThing(tx, full);
    expect(await thing(tx, { id: full.id })).toEqual([full]);
    expect(await thing(database.db, { id: full.id })).toEqual([]);
    const at = new Date("2027-01-02T03:04:05Z");
    expect(await rename(tx, { id: full.id, name: "B", at })).toEqual([{ name: "B", madeAt: at }]);
  });
  expect(await named(database.db, { ids: [full.id] })).toEqual([{ name: "B" }]);
  const undone = database.db.transaction(async (tx) => {
    await addThing(tx, bare);
    await tx.transaction(async (nested) => {
      await rename(nested, { id: bare.id, name: "C", at: new Date() });
      expect(await named(nested, { ids: [bare.id] })).toEqual([{ name: "C" }]);
    });
    throw new Error("undo");
  });
  await expect(undone).rejects.toThrow("undo");
  expect(await thing(database.db, { id: bare.id })).toEqual([]);
});

test("concurrent transactions see only their own changes, and none of another database", async () => {
  // Each commits only after all have read.
  const allHaveRead = Promise.withResolvers<void>();
  let reading = 3;
  const inOne = async (on: TestDatabase, row: Thing) =>
    await on.db.transaction(async (tx) => {
      await addThing(tx, row);
      const seen = await Promise.all([full, bare].map(({ id }) => thing(tx, { id })));
      if (--reading === 0) allHaveRead.resolve();
      await allHaveRead.promise;
      return seen.flat();
    });
  const all = [inOne(database, full), inOne(database, bare), inOne(other, full)];
  expect(await Promise.all(all)).toEqual([[full], [bare], [full]]);
  expect(await read(other.db, full.id, bare.id)).toEqual([full]);
});

test("a statement in a failed transaction fails, as do those sent beside it", async () => {
  const failed = database.db.transaction(async (tx) => {
    await addThing(tx, full);
    const results = await Promise.allSettled([addThing(tx, full), addThing(tx, bare)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    throw (results[0] as PromiseRejectedResult).reason;
  });
  await expect(failed).rejects.toMatchObject({ cause: { constraint_name: "things_pkey" } });
  expect(await read(database.db, full.id, bare.id)).toEqual([]);
});
