import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

setDefaultTimeout(60_000);

/** `patches/` changes the driver so that these hold. */
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ migrations: [] });
}, 60_000);
afterAll(() => database.drop());

test("statements one after the other use one connection, whichever others are open", async () => {
  const sql = openPostgres(database.url, { max: 4 });
  await Promise.all(Array.from({ length: 4 }, () => sql`select 1`));
  const used = new Set<number>();
  for (let statement = 0; statement < 8; statement++) {
    const [row] = await sql`select pg_backend_pid() as pid`;
    used.add(row?.pid);
  }
  for (let transaction = 0; transaction < 4; transaction++) {
    await sql.begin(async (tx) => used.add((await tx`select pg_backend_pid() as pid`)[0]?.pid));
  }
  expect(used.size).toBe(1);
  await sql.end({ timeout: 1 });
});

test("statements that are sent at once leave in one piece", async () => {
  let pieces = 0;
  const sql = openPostgres(database.url, { max: 1, ...{ socket: () => countedSocket(() => pieces++) } });
  const text = "x".repeat(1_500);
  const sendAll = () => Promise.all([1, 2, 3].map((n) => sql`select ${n}::int, ${text}::text`));
  await sendAll(); // describes the statement first
  pieces = 0;
  await sendAll();
  expect(pieces).toBe(1);
  await sql.end({ timeout: 1 });
});

/** A connection to the database; `onWrite` is called for each piece that it is given. */
async function countedSocket(onWrite: () => void): Promise<Socket> {
  const { hostname, port, searchParams } = new URL(database.url);
  const folder = searchParams.get("host");
  const number = Number(port || 5432);
  const socket = connect(
    folder ? { path: `${folder}/.s.PGSQL.${number}` } : { host: hostname, port: number },
  );
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
  socket.write = (...given: unknown[]) => {
    onWrite();
    return write(...given);
  };
  return await new Promise((resolve, reject) =>
    socket.once("connect", () => resolve(socket)).once("error", reject),
  );
}
