import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { connectDatabase } from "../../../src/server/db/client.ts";
import { isDatabaseUnavailable } from "../../../src/server/db/database.errors.ts";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { startConnectionProxy } from "../../support/network/connection-proxy.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(240_000);

/** `patches/` mends the driver so far that these hold. */
describe("a transaction whose connection is lost", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ migrations: [] });
  }, 240_000);
  afterAll(() => database.drop());

  test("during a statement is an error, and the client goes on with another connection", async () => {
    await using proxy = await startConnectionProxy(database.url);
    const sql = openPostgres(proxy.url, { max: 1 });
    const work = sql.begin(async (tx) => {
      // Else the server would sleep on, and hold the database, after its client has gone.
      await tx`set local client_connection_check_interval = 100`;
      setTimeout(proxy.sever, 50);
      await tx`select pg_sleep(60)`;
    });
    await expect(work).rejects.toThrow();
    expect(await sql`select 2 as two`).toMatchObject([{ two: 2 }]);
    await sql.end({ timeout: 1 });
  });

  test("between statements runs no later statement on another connection", async () => {
    await using proxy = await startConnectionProxy(database.url);
    const sql = openPostgres(proxy.url, { max: 1 });
    await sql`create table public.written (line text)`;
    const refused = Promise.withResolvers<unknown>();
    const work = sql.begin(async (tx) => {
      await tx`select 1`;
      proxy.sever();
      // The client connects anew for whoever else asks.
      await sql`select 1`.catch(() => undefined);
      await sql`select 1`;
      await tx`insert into public.written values ('half')`.then(refused.resolve, refused.resolve);
    });
    await expect(work).rejects.toThrow();
    expect(await refused.promise).toBeInstanceOf(Error);
    expect(await sql`select * from public.written`).toHaveLength(0);
    await sql.end({ timeout: 1 });
  });
});

test("a transaction that gives way to one which waits for it may be tried again", async () => {
  const database = await createTestDatabase({ migrations: [] });
  const sql = openPostgres(database.url, { max: 2 });
  const bothHold = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lockBoth = (mine: 0 | 1, other: 0 | 1) =>
    sql.begin(async (tx) => {
      await tx`set local deadlock_timeout = 50`;
      await tx`select pg_advisory_xact_lock(${mine})`;
      bothHold[mine]?.resolve();
      await bothHold[other]?.promise;
      await tx`select pg_advisory_xact_lock(${other})`;
    });
  const outcomes = await Promise.allSettled([lockBoth(0, 1), lockBoth(1, 0)]);
  const failures = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason);
  expect(failures.map(isDatabaseUnavailable)).toEqual([true]);
  await sql.end({ timeout: 1 });
  await database.drop();
});

describe("a connection that is lost before it is of use", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ migrations: [] });
  }, 240_000);
  afterAll(() => database.drop());

  /** What the driver asks of each new connection if it has no list of types. */
  const TYPES = "\n      select b.oid, b.typarray";

  test("while it learns the types ends no process, and whoever reserved it is told", async () => {
    await using proxy = await startConnectionProxy(database.url);
    const sql = openPostgres(proxy.url, { max: 1, fetch_types: true });
    const lost = proxy.loseAnswerTo(TYPES);
    const reserving = sql.reserve();
    await lost;
    await expect(reserving).rejects.toThrow();
    const reserved = await sql.reserve();
    expect(await reserved`select 2 as two`).toMatchObject([{ two: 2 }]);
    reserved.release();
    expect(await sql`select 3 as three`).toMatchObject([{ three: 3 }]);
    await sql.end({ timeout: 1 });
  });

  test("for want of the database's socket file ends no process, and is made once the file is there", async () => {
    await using folder = createTempFolder();
    const url = new URL(database.url);
    const file = `.s.PGSQL.${url.port || 5432}`;
    const real = join(url.searchParams.get("host") ?? "", file);
    url.searchParams.set("host", folder.path);
    const pool = connectDatabase({ url: url.href, maxConnections: 1 });
    const asked = () => pool.db.execute("select 1 as one");
    for (let times = 0; times < 3; times++)
      expect(
        isDatabaseUnavailable(
          await asked().then(
            () => undefined,
            (error) => error,
          ),
        ),
      ).toBe(true);
    symlinkSync(real, join(folder.path, file));
    expect(await asked()).toMatchObject([{ one: 1 }]);
    await pool.close();
  });

  test("is not asked for again and again at once by one that listens; it listens again soon after", async () => {
    await using proxy = await startConnectionProxy(database.url);
    const sql = openPostgres(proxy.url, { max: 1 });
    const heard: string[] = [];
    await sql.listen("news", (text) => heard.push(text));
    for (const state of ["refuse", "cut"] as const) {
      proxy[state]();
      const before = proxy.connections;
      await Bun.sleep(3_000);
      expect(proxy.connections - before).toBeLessThan(30);
      proxy.mend();
      const news = `after ${state}`;
      await until(async () => {
        await database.sql`select pg_notify('news', ${news})`;
        return heard.includes(news);
      }, 5_000);
    }
    await sql.end({ timeout: 1 });
  });
});
