import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  DumpIsUnreadable,
  dropLoaded,
  hasLoadedRows,
  loadDump,
} from "../../../src/server/db/dump/load-dump.ts";
import { ownStatements } from "../../../src/server/db/dump/own-statements.ts";
import { writeDump } from "../../../src/server/db/dump/write-dump.ts";
import { migrations } from "../../../src/server/db/migrations.ts";
import { ConnectionLost, onConnection, openPostgres, type Sql } from "../../../src/server/db/postgres.ts";
import { jobsSchema } from "../../../src/server/jobs/jobs-schema.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { startConnectionProxy } from "../../support/network/connection-proxy.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

setDefaultTimeout(240_000);

let t: TestApp;
let target: TestDatabase;

beforeAll(async () => {
  t = await createTestApp();
  target = await createTestDatabase({ migrations: [] });
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await target.drop();
});

/** A dump, and what the database held in the same snapshot. */
async function dumpOf(sql: Sql): Promise<{ dump: Buffer; content: Record<string, string> }> {
  const parts: Uint8Array[] = [];
  const content = await sql.begin("isolation level repeatable read read only", async (tx) => {
    for await (const part of writeDump(tx, migrations, [jobsSchema()], new AbortController().signal))
      parts.push(Buffer.from(part));
    return await contentOf(tx);
  });
  return { dump: Buffer.concat(parts), content };
}

/** Every table's rows, as one hash each. */
async function contentOf(sql: Pick<Sql, "unsafe">): Promise<Record<string, string>> {
  const tables = await sql.unsafe(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'drizzle')
      or (schemaname = 'pgboss' and tablename in ('queue', 'schedule', 'job_common'))
    order by 1`);
  const content: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await sql.unsafe(
      `select count(*) || ' ' || coalesce(md5(string_agg(row, E'\\n' order by row)), '') as sum from (select t::text as row from ${name} t) r`,
    );
    content[String(name)] = String(row?.sum);
  }
  return content;
}

const own = ownStatements(migrations, [jobsSchema()]);

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("a dump holds every row, counter and waiting job, whatever characters are in it", async () => {
  const person = await t.addPerson("João “Ção”", { plan: "clinica" });
  await t.store(person, sampleZip({ study: "1" }), { description: "linha 1\nlinha\t2 \\. \\N 'aspas'" });
  const lab = await formBody({ examName: "\\.", modality: "LAB" }, { name: "file", bytes: samplePdf() });
  expect((await t.call("POST", "/api/exams-lab/upload", { as: person, ...lab })).status).toBe(201);
  await t.settle();

  const { dump, content } = await dumpOf(t.sql);
  for (const size of [dump.length, 1000, 7]) {
    const scratch = await createTestDatabase({ migrations: [] });
    const sql = openPostgres(scratch.url, { max: 1 });
    await loadDump(sql, chunksOf(dump, size), own, new AbortController().signal);
    expect(await contentOf(sql)).toEqual(content);
    const [next] =
      await sql`select nextval('audit_events_id_seq') > (select max(id) from audit_events) as is_free`;
    expect(next?.is_free).toBe(true);
    // The triggers are back: the audit can't be rewritten, and the counts follow the rows.
    await expect(sql`delete from audit_events`.execute()).rejects.toThrow();
    await sql.end();
    await scratch.drop();
  }
}, 240_000);

test("a dump that is cut anywhere leaves nothing behind", async () => {
  const { dump } = await dumpOf(t.sql);
  for (const part of [0, 0.1, 0.5, 0.9, 0.9999]) {
    const cut = dump.subarray(0, Math.floor(dump.length * part));
    const sql = openPostgres(target.url, { max: 1 });
    await expect(loadDump(sql, chunksOf(cut, 4096), own, new AbortController().signal)).rejects.toThrow();
    expect(await hasLoadedRows(sql)).toBe(false);
    await dropLoaded(sql);
    await sql.end({ timeout: 5 });
    const [left] =
      await target.sql`select count(*)::int as n from pg_tables where schemaname in ('public', 'drizzle', 'pgboss')`;
    expect(left?.n).toBe(0);
  }
}, 240_000);

test("rows that the database refuses end the load", async () => {
  const { dump } = await dumpOf(t.sql);
  const spoilt = Buffer.from(
    dump.toString("utf8").replace(/(copy public\.plans .*\n)[^\t]*\t/, "$1no uuid\t"),
  );
  const sql = openPostgres(target.url, { max: 1 });
  await expect(loadDump(sql, chunksOf(spoilt, 4096), own, new AbortController().signal)).rejects.toThrow(
    DumpIsUnreadable,
  );
  expect(await hasLoadedRows(sql)).toBe(false);
  await dropLoaded(sql);
  await sql.end({ timeout: 5 });
}, 240_000);

test("a file that is not a dump is refused", async () => {
  const sql = openPostgres(target.url, { max: 1 });
  await expect(
    loadDump(sql, chunksOf(Buffer.from("select 1;\n"), 100), own, new AbortController().signal),
  ).rejects.toThrow(DumpIsUnreadable);
  await sql.end();
});

test("a dump whose database is killed ends with an error", async () => {
  await using proxy = await startConnectionProxy(target.url);
  const reading = onConnection(proxy.url, "test", async (sql, lost) => {
    await sql.unsafe(
      "create table public.long as select repeat('-', 1000) as line from generate_series(1, 20000)",
    );
    await sql.begin(async (tx) => {
      for await (const part of writeDump(tx, migrations, [], lost))
        if (String(part).startsWith("---")) proxy.sever();
    });
  });
  await expect(reading).rejects.toBeInstanceOf(ConnectionLost);
});

test("a database that is killed while a dump is loaded is an error", async () => {
  const { dump } = await dumpOf(t.sql);
  const scratch = await createTestDatabase({ migrations: [] });
  await using proxy = await startConnectionProxy(scratch.url);
  const loading = onConnection(proxy.url, "test", async (sql, lost) => {
    async function* cut() {
      for await (const chunk of chunksOf(dump, 1000)) {
        yield chunk;
        if (String(chunk).includes("from stdin;")) proxy.sever();
      }
    }
    await loadDump(sql, cut(), own, lost);
  });
  await expect(loading).rejects.toBeInstanceOf(ConnectionLost);
  await scratch.drop();
});

test("the statements that make pg-boss's tables are those that earlier dumps have", () => {
  // A new version of pg-boss may make them otherwise: keep the text of this one among the own statements then.
  const { construction } = jobsSchema();
  expect(new Bun.CryptoHasher("sha256").update(construction).digest("hex")).toBe(
    "4b14375fea9d518df9fa46447af49137180b070ce43a4c12ac8090d9ecbee506",
  );
});
