import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeDump } from "../../../src/server/db/dump/write-dump.ts";
import { migrate } from "../../../src/server/db/migrate.ts";
import { migrations } from "../../../src/server/db/migrations.ts";
import { openPostgres, type Sql } from "../../../src/server/db/postgres.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { testPostgresUrl } from "../../support/database/postgres-server.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

setDefaultTimeout(240_000);

/** What an administrator may have set for the programs that were there before. */
const SETTINGS = {
  DateStyle: "'SQL, DMY'",
  TimeZone: "'Asia/Kolkata'",
  bytea_output: "escape",
  IntervalStyle: "sql_standard",
  standard_conforming_strings: "off",
  quote_all_identifiers: "on",
};

async function withSettings(url: string): Promise<string> {
  const sql = openPostgres(url, { max: 1 });
  const name = new URL(url).pathname.slice(1);
  for (const [setting, value] of Object.entries(SETTINGS))
    await sql.unsafe(`alter database ${name} set ${setting} = ${value}`);
  await sql.end({ timeout: 1 });
  return url;
}

describe("a database with settings of other programs", () => {
  let t: TestApp;
  let sql: Sql;
  beforeAll(async () => {
    let url = "";
    const databaseVia = async (direct: string) => {
      url = await withSettings(direct);
      return url;
    };
    t = await createTestApp({ databaseVia });
    const connection = { default_transaction_isolation: "serializable" } as const;
    sql = openPostgres(url, { max: 1, connection });
  }, 240_000);
  afterAll(async () => {
    await sql.end({ timeout: 1 });
    await t[Symbol.asyncDispose]();
  });

  test("keeps an exam, with its times and its receipt", async () => {
    const ana = await t.addPerson("Ana");
    const { studies } = await (await t.upload(ana, sampleZip({}))).json();
    const [study] = studies;
    const seen = await (await t.call("GET", `/api/studies/${study.id}`, { as: ana })).json();
    expect(Math.abs(Date.parse(seen.createdAt) - Date.now())).toBeLessThan(600_000);
    expect((await t.call("GET", `/api/studies/${study.id}/receipt`, { as: ana })).status).toBe(200);
    await t.settle();
    expect((await t.call("GET", `/api/studies/${study.id}/download`, { as: ana })).status).toBe(200);
  });

  test("answers times and bytes as our statements read them", async () => {
    const bytes = Buffer.from([0, 1, 39, 92, 120, 127, 128, 255]);
    const [row] =
      await sql`select '2026-02-01 12:00:00+00'::timestamptz::text as at, ${bytes}::bytea as bytes`;
    expect(row).toEqual({ at: "2026-02-01 12:00:00+00", bytes });
    const [text] = await sql.unsafe(String.raw`select '\s' as text`);
    expect(text?.text).toBe(String.raw`\s`);
  });

  test("lets a transaction see what another one committed while it waited", async () => {
    const isolation = await sql.begin((tx) => tx`show transaction_isolation`);
    expect(isolation).toMatchObject([{ transaction_isolation: "read committed" }]);
    const snapshot = await sql.begin(
      "isolation level repeatable read",
      (tx) => tx`show transaction_isolation`,
    );
    expect(snapshot).toMatchObject([{ transaction_isolation: "repeatable read" }]);
  });

  test("is dumped with bytes that any other database reads", async () => {
    const dump = await sql.begin("isolation level repeatable read read only", async (tx) => {
      const parts: string[] = [];
      for await (const part of writeDump(tx, migrations, [], new AbortController().signal))
        parts.push(Buffer.from(part).toString());
      return parts.join("");
    });
    expect(dump).toContain("alter table public.receipts disable trigger user;");
    const [, receipts] = /^copy public\.receipts .*\n([\s\S]*?)^\\\.$/m.exec(dump) ?? [];
    expect(receipts).toMatch(/\t\\\\x[0-9a-f]{40,}/);
  });
});

describe("a database that does not take our tables", () => {
  let admin: Sql;
  beforeAll(async () => {
    admin = openPostgres(await testPostgresUrl(), { max: 1 });
  });
  afterAll(() => admin.end({ timeout: 1 }));

  async function refusal(make: (names: { database: string; role: string }) => string[]): Promise<unknown> {
    const names = { database: `unfit_${crypto.randomUUID().slice(0, 8)}`, role: "" };
    names.role = `${names.database}_role`;
    await admin.unsafe(`create role ${names.role} login`);
    try {
      for (const statement of make(names)) await admin.unsafe(statement);
      const url = new URL(await testPostgresUrl());
      url.pathname = `/${names.database}`;
      url.username = names.role;
      return await migrate(url.href, migrations).catch((error: unknown) => error);
    } finally {
      await admin.unsafe(`drop database ${names.database} with (force)`);
      await admin.unsafe(`drop role ${names.role}`);
    }
  }

  test.each<[string, string[], (names: { database: string; role: string }) => string[]]>([
    [
      "of another encoding",
      ["its encoding is SQL_ASCII"],
      ({ database, role }) => [
        `create database ${database} owner ${role} encoding 'SQL_ASCII' template template0 locale 'C'`,
      ],
    ],
    [
      "in which the role may make nothing",
      ["the role may make no tables in it"],
      ({ database }) => [`create database ${database}`],
    ],
    [
      "whose role has a schema of its own first",
      ["tables would be made in the schema "],
      ({ database, role }) => [
        `create database ${database} owner ${role}`,
        `alter role ${role} set search_path = information_schema, public`,
      ],
    ],
    [
      "whose statements give way to those of others",
      ["statements would be serializable"],
      ({ database, role }) => [
        `create database ${database} owner ${role}`,
        `alter role ${role} set default_transaction_isolation = serializable`,
      ],
    ],
    [
      "with two of these",
      ["its encoding is SQL_ASCII", "the role may make no tables in it"],
      ({ database }) => [`create database ${database} encoding 'SQL_ASCII' template template0 locale 'C'`],
    ],
  ])("%s is refused in a sentence, before anything is made", async (_, said, make) => {
    const error = await refusal(make);
    expect(error).toMatchObject({ name: "DatabaseDoesNotFit" });
    const { obstacles } = error as { obstacles: string[] };
    expect(obstacles).toEqual(said.map((part) => expect.stringContaining(part)));
  });

  test("an empty one that its role owns takes them", async () => {
    const database = await createTestDatabase({ migrations: [] });
    try {
      expect(await migrate(database.url, migrations.slice(0, 1))).toBe(1);
    } finally {
      await database.drop();
    }
  });
});
