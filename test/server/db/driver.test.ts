import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { ARRAY_TYPES } from "../../../src/server/db/array-types.ts";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";

setDefaultTimeout(240_000);

/** `patches/` changes the driver so that these hold. */
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ migrations: [] });
}, 240_000);
afterAll(() => database.drop());

test("the patience for connecting is ten seconds, or what the address names", () => {
  const patienceOf = (query: string) =>
    openPostgres(`postgres://nobody@127.0.0.1:1/none${query}`).options.connect_timeout;
  expect(["", "?connect_timeout=60", "?host=/run&connect_timeout=3"].map(patienceOf)).toEqual([10, 60, 3]);
});

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

test("a new connection asks the database nothing by itself, and knows arrays all the same", async () => {
  const asked: string[] = [];
  const sql = openPostgres(database.url, { max: 1, debug: (_connection, text) => asked.push(text) });
  const ids = [crypto.randomUUID(), crypto.randomUUID()];
  const sent = sql`select ${[1, 2]}::int[] as numbers, ${ids}::uuid[] as ids, ${["a,b", '"']}::text[] as texts`;
  expect(await sent).toMatchObject([{ numbers: [1, 2], ids, texts: ["a,b", '"'] }]);
  expect(asked).toEqual([expect.stringContaining("::uuid[]")]);
  await sql.end({ timeout: 1 });
});

test("a pool without connections opens one to be reserved, and has it again once it is released", async () => {
  const sql = openPostgres(database.url, { max: 1 });
  const reserved = await sql.reserve();
  expect(await reserved`select 1 as one`).toMatchObject([{ one: 1 }]);
  reserved.release();
  expect(await sql`select 2 as two`).toMatchObject([{ two: 2 }]);
  await sql.end({ timeout: 1 });
});

test("the arrays that the driver knows are those of the database, and all that tables have", async () => {
  const known = await database.sql`select oid::int as element, typarray::int as array from pg_type
    where oid = any(${ARRAY_TYPES.map(([element]) => element)}::int[]) order by oid`;
  expect(known.map(({ element, array }) => [element, array])).toEqual([...ARRAY_TYPES] as never);
  const product = await createTestDatabase();
  const columns = await product.sql`select distinct atttypid::int as array from pg_attribute
    join pg_class on pg_class.oid = attrelid join pg_type on pg_type.oid = atttypid
    where relkind in ('r', 'p') and typcategory = 'A' and relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)`;
  expect(columns.length).toBeGreaterThan(1);
  for (const { array } of columns) expect(ARRAY_TYPES.map(([, number]) => number)).toContain(array);
  await product.drop();
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

test("a statement that fails after its first rows leaves no places in the next answer of its connection", async () => {
  const sql = openPostgres(database.url, { max: 1 });
  const next = async () => [...(await sql`select ${"next"}::text as line`.values())];
  const failing = [
    sql`select 1 / (3 - line) from generate_series(1, 9) line`,
    sql`select case when line > 3 then pg_terminate_backend(pg_backend_pid()) end from generate_series(1, 9) line`,
  ];
  for (const statement of failing) {
    await expect(statement.execute()).rejects.toThrow();
    expect(await next()).toEqual([["next"]]);
  }
  await sql.end({ timeout: 1 });
});
