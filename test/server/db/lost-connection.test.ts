import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { startConnectionProxy } from "../../support/connection-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

setDefaultTimeout(60_000);

/** `patches/` mends the driver so far that these hold. */
describe("a transaction whose connection is lost", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ migrations: [] });
  }, 60_000);
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
