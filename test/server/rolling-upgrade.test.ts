import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { migrations } from "../../src/server/db/migrations.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";

/*
 * While nodes are replaced one after the other, the last release works on the schema of this version. It names tables and columns
 * in its statements, so it works as long as all of them are there, take what it writes, and ask for nothing it does not write.
 */
const RELEASE = join(import.meta.dir, "../fixtures/release-0.1");
const RELEASE_MIGRATIONS = 7;

let before: TestDatabase;
let now: TestDatabase;
beforeAll(async () => {
  before = await createTestDatabase({ migrations: migrations.slice(0, RELEASE_MIGRATIONS) });
  now = await createTestDatabase({ migrations });
}, 240_000);
afterAll(async () => {
  await before.drop();
  await now.drop();
});

interface Column {
  table: string;
  column: string;
  type: string;
  isRequired: boolean;
  hasDefault: boolean;
}

async function columnsOf({ sql }: TestDatabase): Promise<Map<string, Column>> {
  const rows = await sql<Column[]>`
    select table_name as "table", column_name as "column", udt_name as type, is_nullable = 'NO' as "isRequired",
      column_default is not null or is_identity = 'YES' or is_generated = 'ALWAYS' as "hasDefault"
    from information_schema.columns where table_schema = 'public' order by 1, 2`;
  return new Map(rows.map((row) => [`${row.table}.${row.column}`, row]));
}

test("every column of the last release is there, of its type, and asks for no more than it did", async () => {
  const present = await columnsOf(now);
  const wrong = [...(await columnsOf(before))].flatMap(([name, old]) => {
    const column = present.get(name);
    if (!column) return [`${name} is gone`];
    if (column.type !== old.type) return [`${name} is ${column.type} instead of ${old.type}`];
    if (column.isRequired && !old.isRequired && !column.hasDefault) return [`${name} may no longer be null`];
    return [];
  });
  expect(wrong).toEqual([]);
});

test("a column that the last release does not know may be left out in each table that it writes", async () => {
  const known = await columnsOf(before);
  const tables = new Set([...known.values()].map(({ table }) => table));
  const demanded = [...(await columnsOf(now))]
    .filter(([name, { table }]) => tables.has(table) && !known.has(name))
    .filter(([, { isRequired, hasDefault }]) => isRequired && !hasDefault);
  expect(demanded.map(([name]) => name)).toEqual([]);
});

test("every value of the last release's enumerations is still one", async () => {
  const valuesOf = async ({ sql }: TestDatabase) =>
    (
      await sql<{ value: string }[]>`
      select t.typname || ' ' || e.enumlabel as value from pg_enum e join pg_type t on t.oid = e.enumtypid
      join pg_namespace n on n.oid = t.typnamespace where n.nspname = 'public'`
    ).map(({ value }) => value);
  const present = new Set(await valuesOf(now));
  expect((await valuesOf(before)).filter((value) => !present.has(value))).toEqual([]);
});

test("every row as the last release wrote it is taken by the present schema, checks and keys included", async () => {
  const tables = (await Bun.file(join(RELEASE, "database.json")).json()) as Record<string, object[]>;
  let rows = 0;
  await now.sql.begin(async (tx) => {
    // Rows come in the order of their tables' names, so references are not held against them.
    await tx`set local session_replication_role = replica`;
    for (const [table, written] of Object.entries(tables)) {
      await tx.unsafe(`delete from "${table}"`);
      for (const row of written) {
        // Only what it names, so that new columns get their defaults.
        const names = Object.keys(row).map((name) => `"${name}"`);
        await tx.unsafe(
          `insert into "${table}" (${names}) overriding system value
            select ${names} from jsonb_populate_record(null::"${table}", $1::text::jsonb)`,
          [JSON.stringify(row)],
        );
        rows++;
      }
    }
  });
  expect(rows).toBeGreaterThan(20);
});
