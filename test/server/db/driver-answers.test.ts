import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Readable } from "node:stream";
import { openPostgres, type Sql } from "../../../src/server/db/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";

setDefaultTimeout(240_000);

/** `patches/` changes the driver so that these hold: each statement has its own answer, whole, or an error. */
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ migrations: [] });
}, 240_000);
afterAll(() => database.drop());

async function withClient(
  work: (sql: Sql) => Promise<void>,
  options: Parameters<typeof openPostgres>[1] = { max: 1 },
): Promise<void> {
  const sql = openPostgres(database.url, options);
  await work(sql).finally(() => sql.end({ timeout: 1 }));
}

const echo = async (sql: Sql, text: string) => [...(await sql`select ${text}::text as line`.values())];

test("a statement that can't be written leaves the others of its connection their own answers", () =>
  withClient(async (sql) => {
    await echo(sql, "described");
    const before = sql`select 'before' as line from pg_sleep(0.1)`.values().execute();
    await Bun.sleep(10);
    const unwritten = sql`select ${undefined as never}::text`.execute();
    const behind = ["one", "two"].map((text) => echo(sql, text));
    await expect(unwritten).rejects.toThrow("Undefined values are not allowed");
    expect([...(await before)]).toEqual([["before"]]);
    expect(await Promise.all(behind)).toEqual([[["one"]], [["two"]]]);
  }));

test("a statement that is tried again, since a table changed, writes what it was given", () =>
  withClient(async (sql) => {
    await sql`create table written (number int, flag boolean, object jsonb, bytes bytea, list text[])`;
    const write = (number: number) => sql`insert into written values
      (${number}, ${true}, ${sql.json({ a: 1 })}, ${Buffer.from("abc")}, ${["x", "y"]}) returning *`;
    await write(1);
    await database.sql`alter table written add column more int`;
    const values = { flag: true, object: { a: 1 }, bytes: Buffer.from("abc"), list: ["x", "y"], more: null };
    expect([...(await write(2))]).toEqual([{ number: 2, ...values }]);
    expect([...(await write(3))]).toEqual([{ number: 3, ...values }]);
  }));

test("a statement that is tried again and one that comes at that moment have each its own answer", async () => {
  let written = 0;
  let late: Promise<unknown> | undefined;
  const debug = (_connection: number, text: string) => {
    if (text.includes("from read_again") && ++written === 3) setImmediate(comeLate);
  };
  let comeLate = () => {};
  await withClient(
    async (sql) => {
      await sql`create table read_again (id int)`;
      await sql`insert into read_again values (1)`;
      const read = async () => [...(await sql`select *, ${"read"}::text from read_again`.values())];
      comeLate = () => {
        late = echo(sql, "late");
      };
      await echo(sql, "described");
      await read();
      await database.sql`alter table read_again add column more int`;
      expect(await read()).toEqual([[1, null, "read"]]);
      expect(await late).toEqual([["late"]]);
    },
    { max: 1, debug },
  );
});

test("a statement that is tried again is none of the transaction that begins behind it", () =>
  withClient(async (sql) => {
    await sql`create table outside (id int)`;
    const write = (id: number) => sql`insert into outside values (${id}) returning *`;
    await write(1);
    await database.sql`alter table outside add column more int`;
    const writing = write(2).execute();
    const rolledBack = sql.begin(async (tx) => {
      await tx`select pg_sleep(0.05)`;
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    expect([...(await writing)]).toEqual([{ id: 2, more: null }]);
    expect([...(await database.sql`select id from outside order by id`)]).toEqual([{ id: 1 }, { id: 2 }]);
    const within = sql.begin(async (tx) => {
      await database.sql`alter table outside add column yet_more int`;
      await tx`insert into outside values (${2}) returning *`;
    });
    await expect(within).rejects.toThrow();
  }));

test("a transaction begins whole, however many statements wait in front of it", () =>
  withClient(
    async (sql) => {
      await Promise.all([sql`create table whole (part text)`, sql`select 1`]);
      // A connection takes 100 behind the one that it works on.
      for (let waiting = 196; waiting <= 201; waiting++) {
        await sql`delete from whole`;
        const all = [sql`select pg_sleep(0.1)`.execute(), sql`select pg_sleep(0.1)`.execute()];
        await Bun.sleep(30);
        all.push(...Array.from({ length: waiting }, () => sql`select 1`.execute()));
        await sql.begin((tx) => tx`insert into whole values ('within')`);
        await Promise.all(all);
        await Promise.all([1, 2].map(() => sql`insert into whole select 'behind' from pg_sleep(0.02)`));
        const [row] = await database.sql`select count(*)::int as parts from whole`;
        expect(row).toEqual({ parts: 3 });
      }
    },
    { max: 2 },
  ));

test("rows that come in pages never end with a connection that was lost between two of them", () =>
  withClient(async (sql) => {
    for (const isLeft of [false, true]) {
      let rows = 0;
      const reading = (async () => {
        const pages = sql`select pg_backend_pid() as pid from generate_series(1, 1000)`.cursor(10);
        for await (const page of pages) {
          rows += page.length;
          if (rows !== 50) continue;
          await database.sql`select pg_terminate_backend(${page[0]?.pid})`;
          await Bun.sleep(50);
          if (isLeft) throw new Error("left");
        }
      })();
      await expect(reading).rejects.toThrow(isLeft ? "left" : "CONNECTION_CLOSED");
      expect(rows).toBe(50);
      expect(await echo(sql, "next")).toEqual([["next"]]);
    }
  }));

test("a COPY that fails, or that nobody reads on, ends with its own error and holds up no other statement", () =>
  withClient(async (sql) => {
    const copy = async (rows: string, read: (stream: Readable) => Promise<void>) =>
      await sql.begin(async (tx) => {
        const stream = await tx
          .unsafe(`copy (select ${rows} from generate_series(1, 9000) line) to stdout`)
          .readable();
        await read(stream);
      });
    const readSlowly = async (stream: Readable) => {
      for await (const _ of stream) await Bun.sleep(0);
    };
    const leave = async (stream: Readable) => {
      for await (const _ of stream) throw new Error("no room");
    };
    await expect(copy("repeat('x', 1000) || 1 / (4000 - line)", readSlowly)).rejects.toThrow(
      "division by zero",
    );
    expect(await echo(sql, "after a failure")).toEqual([["after a failure"]]);
    await expect(copy("repeat('x', 1000)", leave)).rejects.toThrow("no room");
    expect(await echo(sql, "after a reader that left")).toEqual([["after a reader that left"]]);
  }));
