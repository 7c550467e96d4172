import { expect, setDefaultTimeout, test } from "bun:test";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { lockSession } from "../../../src/server/db/locked-session.ts";
import { openPostgres, type Sql } from "../../../src/server/db/postgres.ts";
import { takesChanges } from "../../../src/server/db/renew-sessions.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { startKeepingPooler } from "../../support/database/keeping-pooler.ts";
import { targetOf } from "../../support/network/connection-proxy.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(240_000);

const KEPT = 3;

test("a pooler that kept read-only sessions gives no more of them once the database takes changes", async () => {
  const database = await createTestDatabase({ migrations: [] });
  await using pooler = await startKeepingPooler(database.url);
  const [named] = await database.sql`select current_database() as name`;
  await database.sql.unsafe(`alter database ${named?.name} set default_transaction_read_only = on`);
  const clients = Array.from({ length: KEPT }, () => openPostgres(pooler.url, { max: 1 }));
  const isReadOnly = async (sql: (typeof clients)[number]) =>
    (await sql`select current_setting('transaction_read_only') as value`)[0]?.value === "on";
  expect(await Promise.all(clients.map(isReadOnly))).toEqual(clients.map(() => true));
  await Promise.all(clients.map((sql) => sql.end({ timeout: 1 })));
  expect(await takesChanges(pooler.url)).toBe(false);

  await database.sql.unsafe(`alter database ${named?.name} reset default_transaction_read_only`);
  await until(async () => await takesChanges(pooler.url), 10_000);
  const next = openPostgres(pooler.url, { max: 1 });
  expect(await isReadOnly(next)).toBe(false);
  await next.end({ timeout: 1 });
  await pooler[Symbol.asyncDispose]();
  await database.drop();
});

test("a database that is slow to begin sessions is found to be read-only, and is asked for few", async () => {
  const database = await createTestDatabase({ migrations: [] });
  const [named] = await database.sql`select current_database() as name`;
  await database.sql.unsafe(`alter database ${named?.name} set default_transaction_read_only = on`);
  let sessions = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const backend = createConnection(targetOf(database.url));
    if (++sessions > 20) client.destroy();
    for (const socket of [client, backend]) sockets.add(socket.on("error", () => socket.destroy()));
    // As a long way or a slow check of the password.
    client.on("data", (asked) => setTimeout(() => backend.write(asked), 600));
    backend.pipe(client);
    client.once("close", () => backend.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { username, pathname } = new URL(database.url);
  const url = `postgres://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}?connect_timeout=120`;
  expect(await takesChanges(url)).toBe(false);
  expect(sessions).toBeLessThanOrEqual(2);
  for (const socket of sockets) socket.destroy();
  server.close();
  await database.drop();
});

test("a session that holds locks keeps them in a database that ends idle ones", async () => {
  const database = await createTestDatabase({ migrations: [] });
  const [named] = await database.sql`select current_database() as name`;
  await database.sql.unsafe(`alter database ${named?.name} set idle_session_timeout = '1min'`);
  const timeoutOf = async (sql: Sql) => (await sql`show idle_session_timeout`)[0]?.idle_session_timeout;
  const client = openPostgres(database.url, { max: 1 });
  expect(await timeoutOf(client)).toBe("1min");
  await client.end({ timeout: 1 });
  let ownTimeout: unknown;
  await using session = await lockSession(database.url, "test", async (sql) => {
    ownTimeout = await timeoutOf(sql);
    return true;
  });
  expect([ownTimeout, await session?.isHeld()]).toEqual(["0", true]);
  await session?.[Symbol.asyncDispose]();
  await database.drop();
});
