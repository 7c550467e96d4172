import postgres from "postgres";
import { OperatorError } from "../runtime/operator-error.ts";
import { ARRAY_TYPES } from "./array-types.ts";
import { BYTEA } from "./bytea-text.ts";
import type { PoolSockets } from "./pool-sockets.ts";

export type Sql = postgres.Sql;

/** What our statements and their answers are written for, whatever the role or the database has set. Poolers know these settings. */
const SESSION = { datestyle: "ISO, MDY", timezone: "UTC", standard_conforming_strings: "on" } as const;

/**
 * A postgres.js client. `url` may name a unix socket's folder as libpq does:
 * `postgres://user@localhost/db?host=/run/pg`. Connects at the first query.
 */
export function openPostgres(
  url: string,
  options: postgres.Options<Record<string, never>> = {},
  sockets?: PoolSockets,
): Sql {
  const socket = sockets && { socket: sockets.connect };
  const sql = postgres(withoutHost(url), {
    ...connectTimeoutOf(url),
    backoff: secondsBefore,
    fetch_types: ARRAY_TYPES as unknown as boolean,
    onnotice: () => {}, // such as "relation exists, skipping"
    ...socketOf(url),
    ...options,
    ...socket,
    types: { bytea: BYTEA, ...options.types } as unknown as Record<string, never>,
    connection: { ...SESSION, ...options.connection },
  });
  return Object.assign(sql, { begin: readingCommitted(sql.begin) });
}

/** A transaction reads what others committed before each statement, not before its first: it takes a lock, then reads. */
function readingCommitted(begin: Sql["begin"]): Sql["begin"] {
  return ((...args: [string, never] | [never]) =>
    args.length === 1 ? begin("isolation level read committed", args[0]) : begin(...args)) as Sql["begin"];
}

/** Pauses before another try to connect, so that many nodes don't hold up a database that recovers, nor wait long once it is back. */
function secondsBefore(failures: number): number {
  return (0.5 + Math.random() / 2) * Math.min(3 ** failures / 100, 1);
}

/** The database ended the connection, or is gone. */
export class ConnectionLost extends OperatorError {
  override name = "ConnectionLost";
  constructor(options?: ErrorOptions) {
    super("The connection to the database was lost meanwhile. Run the command again.", options);
  }
}

/**
 * Runs `work` on one connection. `lost` is aborted when that connection ends, which the driver's streams of COPY never notice.
 * @throws {ConnectionLost}
 */
export async function onConnection<Result>(
  url: string,
  applicationName: string,
  work: (sql: Sql, lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  const connection = { application_name: applicationName };
  const sql = openPostgres(url, { max: 1, connection, onclose: () => end.abort() });
  try {
    return await work(sql, end.signal);
  } catch (cause) {
    throw end.signal.aborted ? new ConnectionLost({ cause }) : cause;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** postgres.js would send parameters that it does not know, such as libpq's `host`, to the server. */
function withoutHost(url: string): string {
  if (!HOST_PARAMETER.test(url)) return url;
  const address = new URL(url);
  address.searchParams.delete("host");
  return address.href;
}

/** In seconds, as libpq's parameter of that name; postgres.js would take any option before what the address names. */
function connectTimeoutOf(url: string): { connect_timeout?: number } {
  return CONNECT_TIMEOUT_PARAMETER.test(url) ? {} : { connect_timeout: CONNECT_SECONDS };
}

function socketOf(url: string): { path: string } | undefined {
  if (!HOST_PARAMETER.test(url)) return undefined;
  const address = new URL(url);
  return { path: `${address.searchParams.get("host")}/.s.PGSQL.${address.port || 5432}` };
}

const HOST_PARAMETER = /[?&]host=(\/|%2f)/i;
const CONNECT_TIMEOUT_PARAMETER = /[?&]connect_timeout=/;
const CONNECT_SECONDS = 10;
