import postgres from "postgres";
import { causesOf } from "../runtime/causes.ts";
import { OperatorError } from "../runtime/operator-error.ts";

/** The program can't work with the database of `DATABASE_URL`. The message says what to do and quotes no data. */
export abstract class DatabaseIsUnfit extends OperatorError {}

/** A pooler lends connections out for one transaction at a time. */
export class DatabaseIsPooled extends DatabaseIsUnfit {
  override name = "DatabaseIsPooled";
  constructor() {
    super(
      "DATABASE_URL leads to a pooler that shares connections between transactions, such as PgBouncer with pool_mode=transaction. Exameteca keeps prepared statements and listens in its sessions: name PostgreSQL itself, or a pooler with pool_mode=session.",
    );
  }
}

/** A pooler refuses the settings that come with each connection. */
export class DatabaseRefusesSettings extends DatabaseIsUnfit {
  override name = "DatabaseRefusesSettings";
  constructor() {
    super(
      "DATABASE_URL leads to a pooler that refuses the time limits of our connections. With PgBouncer, set ignore_startup_parameters=statement_timeout,idle_in_transaction_session_timeout and give the limits to the role instead: ALTER ROLE … SET statement_timeout='60s'; ALTER ROLE … SET idle_in_transaction_session_timeout='60s'.",
    );
  }
}

/** The database or its pooler does not give a few connections at once. */
export class DatabaseGivesTooFew extends DatabaseIsUnfit {
  override name = "DatabaseGivesTooFew";
  constructor() {
    super(
      "DATABASE_URL did not give a few connections at once in time. Each node holds up to 23: raise the pooler's default_pool_size, or PostgreSQL's max_connections.",
    );
  }
}

/** The database does not take our tables. */
export class DatabaseDoesNotFit extends DatabaseIsUnfit {
  override name = "DatabaseDoesNotFit";
  constructor(readonly obstacles: readonly string[]) {
    super(["The database of DATABASE_URL can't be used:", ...obstacles.map((one) => `- ${one}`)].join("\n"));
  }
}

/** A restore goes into the database, or was interrupted. */
export class DatabaseIsBeingRestored extends DatabaseIsUnfit {
  override name = "DatabaseIsBeingRestored";
  constructor(schema: string) {
    super(
      `A restore into the database of DATABASE_URL is running, or was interrupted: run it again with the DATA_DIR in which it began. To give it up, make the database anew, or drop its schemas public, drizzle, pgboss and ${schema}.`,
    );
  }
}

/** The database did not answer in time. */
export class DatabaseUnavailable extends Error {
  override name = "DatabaseUnavailable";
}

/** Whether a row named another one that is gone. */
export function isReferenceGone(error: unknown): boolean {
  return [...causesOf(error)].some(
    (cause) => cause instanceof postgres.PostgresError && cause.code === "23503",
  );
}

/** The names of postgres.js for broken connections. */
const LOST_CONNECTION = /^CONNECT(ION)?_[A-Z]+$/;
/** The system's names for a broken connection; those of other services fail with the same names. */
const BROKEN_SOCKET = /^E(CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|NOTFOUND|NOENT|PIPE|TIMEDOUT)$/;
/**
 * SQLSTATEs of a database that takes nothing now: connection exceptions, insufficient resources such as a full disk, a shutdown
 * or a start, errors of the disk, a standby or a database that was made read-only, a lock that somebody holds for long, and a
 * transaction that gave way to another one.
 */
const UNAVAILABLE_STATES = /^(08...|40001|40P01|53...|55P03|57014|57P0[1-5]|58...|25006|25P03)$/;
/** SQLSTATEs with which PostgreSQL refuses a connection: a wrong name or password, or a database that does not exist. */
const REFUSED_STATES = /^(28...|3D000)$/;

/** Whether PostgreSQL answers, and refuses the role, the password or the database that `DATABASE_URL` names. */
export function isLoginRefused(error: unknown): boolean {
  return [...causesOf(error)].some(
    (cause) => cause instanceof postgres.PostgresError && REFUSED_STATES.test(cause.code),
  );
}

/** Whether a statement found no room on the database's disk. */
export function isDatabaseFull(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === "53100";
}

/** Whether a statement would have changed something in a session that is read-only. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === "25006";
}

/** Whether a change failed because the database only reads now. */
export function takesNoChanges(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => isReadOnly(cause) || isDatabaseFull(cause));
}

/** The names with which a connection fails that was open. */
const ENDED_CONNECTION = /^(CONNECTION_CLOSED|ECONNRESET|EPIPE|ETIMEDOUT)$/;

/** Whether the connection broke or fell silent, so that the database may have carried out what was asked over it. */
export function isAnswerLost(error: unknown): boolean {
  return [...causesOf(error)].some(
    (cause) =>
      cause instanceof DatabaseUnavailable || ("code" in cause && ENDED_CONNECTION.test(String(cause.code))),
  );
}

/** Whether a query failed because the database is out of reach, or can't work now. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (const inner of causesOf(error)) {
    if (inner instanceof DatabaseUnavailable) return true;
    const code = "code" in inner && typeof inner.code === "string" ? inner.code : "";
    if (inner instanceof postgres.PostgresError)
      return UNAVAILABLE_STATES.test(code) || REFUSED_STATES.test(code);
    if (LOST_CONNECTION.test(code)) return true;
    // postgres.js adds the query to what went wrong with its connection.
    if (BROKEN_SOCKET.test(code) && "query" in inner) return true;
  }
  return false;
}
