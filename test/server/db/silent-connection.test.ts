import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import { connectDatabase, type Database, type Db } from "../../../src/server/db/client.ts";
import { isDatabaseUnavailable } from "../../../src/server/db/database.errors.ts";
import { lockSession } from "../../../src/server/db/locked-session.ts";
import { Patience } from "../../../src/server/db/patience.ts";
import { openJobsPool, pgBossDatabase } from "../../../src/server/jobs/pg-boss-database.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { type ConnectionProxy, startConnectionProxy } from "../../support/network/connection-proxy.ts";

setDefaultTimeout(240_000);

/** Long enough for a busy machine that answers. */
const ANSWER_MS = 3_000;
const UNSENT_MS = 1_000;
const END_MS = 4_000;

const impatience = () => new Patience(ANSWER_MS, UNSENT_MS, END_MS);

let database: TestDatabase;
let proxy: ConnectionProxy;
beforeAll(async () => {
  database = await createTestDatabase({ migrations: [] });
  await database.sql`create table public.written (line text)`;
  proxy = await startConnectionProxy(database.url);
}, 240_000);
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await database.drop();
});

const connect = (maxConnections: number): Database & AsyncDisposable => {
  const pool = connectDatabase({ url: proxy.url, maxConnections, patience: impatience() });
  return { ...pool, [Symbol.asyncDispose]: () => pool.close() };
};

const write = (db: Db, line: string) =>
  db.transaction(async (tx) => {
    await tx.execute(sql`insert into public.written values (${line})`);
  });

async function written(line: string): Promise<boolean> {
  return (await database.sql`select 1 from public.written where line = ${line}`).length > 0;
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

test("a statement on a connection that fell silent is given up, and the next one goes through another", async () => {
  await using pool = connect(1);
  await pool.db.execute(sql`select 1`);
  proxy.forget();
  expect(isDatabaseUnavailable(await failure(pool.db.execute(sql`select 1`)))).toBe(true);
  expect(await pool.db.execute(sql`select 2 as two`)).toMatchObject([{ two: 2 }]);
});

test("a transaction that finds its connection silent is given up, and the next one goes through another", async () => {
  await using pool = connect(1);
  await pool.db.execute(sql`select 1`);
  proxy.forget();
  expect(isDatabaseUnavailable(await failure(write(pool.db, "never")))).toBe(true);
  await Bun.sleep(ANSWER_MS);
  await write(pool.db, "later");
  expect([await written("never"), await written("later")]).toEqual([false, true]);
});

for (const end of ["commit", "rollback"] as const) {
  test(`a ${end} that gets no answer at all is given up; what it did holds, and the pool goes on`, async () => {
    await using pool = connect(1);
    await pool.db.execute(sql`select 1`);
    const lost = proxy.loseAnswerTo(end, { silently: true });
    const ending = pool.db.transaction(async (tx) => {
      await tx.execute(sql`insert into public.written values (${end})`);
      if (end === "rollback") throw new Error("the work failed");
    });
    const error = await failure(ending);
    await lost;
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await written(end)).toBe(end === "commit");
    await write(pool.db, `after ${end}`);
    expect(await written(`after ${end}`)).toBe(true);
  });
}

test("a commit that takes longer than a statement may is waited for", async () => {
  await database.sql`create function public.linger() returns trigger language plpgsql as
    $$ begin perform pg_sleep(${database.sql.unsafe(String((ANSWER_MS + 300) / 1000))}); return null; end $$`;
  await database.sql`create constraint trigger linger after insert on public.written deferrable initially deferred
    for each row when (new.line = 'slow') execute function public.linger()`;
  await using pool = connect(1);
  await write(pool.db, "slow");
  expect(await written("slow")).toBe(true);
});

test("a slow statement on a connection that works goes on when others fall silent", async () => {
  await using pool = connect(3);
  await Promise.all([1, 2].map(() => pool.db.transaction((tx) => tx.execute(sql`select pg_sleep(0.1)`))));
  proxy.forget();
  const silent = [1, 2].map(() => failure(pool.db.execute(sql`select 1`)));
  await Bun.sleep(ANSWER_MS / 2);
  const slow = pool.db.execute(sql`select pg_sleep(${(ANSWER_MS - 500) / 1000})`);
  for (const error of await Promise.all(silent)) expect(isDatabaseUnavailable(error)).toBe(true);
  await slow;
});

test("what looks after jobs goes on with another connection when one falls silent", async () => {
  const pool = openJobsPool(proxy.url, impatience());
  const { executeSql } = pgBossDatabase(pool);
  await executeSql("select 1");
  proxy.forget();
  const script = "BEGIN; insert into public.written values ('script'); COMMIT;";
  expect(isDatabaseUnavailable(await failure(executeSql(script)))).toBe(true);
  await Bun.sleep(ANSWER_MS);
  await executeSql(script);
  expect(await written("script")).toBe(true);
  await pool.end({ timeout: 1 });
});

test("a session with locks counts as lost when its connection is silent", async () => {
  const lock = async () => true;
  const session = await lockSession(proxy.url, "exameteca-test", lock, impatience());
  expect(await session?.isHeld()).toBe(true);
  proxy.forget();
  expect(await session?.isHeld()).toBe(false);
  await session?.[Symbol.asyncDispose]();
});
