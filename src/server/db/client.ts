import { sql as query } from "drizzle-orm";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import { DatabaseUnavailable } from "./database.errors.ts";
import { Patience } from "./patience.ts";
import { openPostgres, type Sql } from "./postgres.ts";
import { preparing } from "./preparing.ts";
import { renewReadOnly } from "./renew-sessions.ts";

export type Db = PostgresJsDatabase;
/** The argument of a drizzle transaction's callback. */
export type Tx = Parameters<Parameters<Db["transaction"]>[0]>[0];
/** A pool or a transaction, for queries that join a transaction if there is one. */
export type DbOrTx = Db | Tx;

/**
 * The pool behind every query.
 *
 * PostgreSQL's `bigint`, and so `count(*)` and `sum(int)`, arrive as strings in raw SQL: use
 * `bigint({ mode: "number" })` columns, `.mapWith(Number)`, or `::int`.
 */
export interface Database {
  db: Db;
  /** The same pool without drizzle. Dates arrive as strings there, and a raw `Date` parameter is refused. */
  sql: Sql;
  /** Waits up to 5 s for running queries, then ends the connections. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  maxConnections?: number;
  statementTimeoutMs?: number;
  /** How long statements wait; by default a little longer than the database lets them run. */
  patience?: Patience;
}

const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
/** The database ends a statement by itself within its timeout; an answer that comes no later is lost. */
const ANSWER_SLACK_MS = 5_000;

/** Opens the pool, which connects at the first query. Each connection prepares a statement once. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { url, maxConnections = 10, statementTimeoutMs = 30_000 } = options;
  const patience = options.patience ?? new Patience(statementTimeoutMs + ANSWER_SLACK_MS);
  const pool = {
    max: maxConnections,
    prepare: true,
    idle_timeout: 60,
    connection: {
      application_name: "exameteca",
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    },
  };
  const sql = openPostgres(url, pool, patience.sockets);
  renewReadOnly(sql, url, maxConnections, patience);
  const db = drizzle(preparing(sql, patience));
  patiences.set(db, patience);
  return { db, sql, close: () => sql.end({ timeout: 5 }) };
}

const patiences = new WeakMap<Db, Patience>();

/**
 * Resolves when the database answers and takes changes: a standby, and one that was made read-only, let nobody sign in.
 * @throws {DatabaseUnavailable} if it takes no changes; the database's own error while its disk is still full
 */
export async function ping(db: Db): Promise<void> {
  await assertWritable(db);
  const patience = patiences.get(db);
  if (!patience?.foundFull) return;
  patience.foundFull = false;
  await writeBriefly(db);
}

/** As {@link ping}, and throws also if no change has failed yet on a disk that is full now. */
export async function assertTakesChanges(db: Db): Promise<void> {
  await assertWritable(db);
  await writeBriefly(db);
}

async function assertWritable(db: Db): Promise<void> {
  const [row] = await db.execute(
    query`select current_setting('transaction_read_only') = 'off' as is_writable`,
  );
  if (row?.is_writable === true) return;
  patiences.get(db)?.foundReadOnly();
  throw new DatabaseUnavailable("the database is read-only");
}

/** Writes temporary data, which the database deletes at once: this fails while its disk is full. */
async function writeBriefly(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(query`set local work_mem = 64`);
    await tx.execute(query`select count(*) from generate_series(1, 20000)`);
  });
}

/** The time of the database's machine, in milliseconds since 1970. */
export async function readClock(db: Db): Promise<number> {
  const [row] = await db.execute(query`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`);
  return Number(row?.now);
}
