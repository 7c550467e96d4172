import { is, Param, Placeholder, sql } from "drizzle-orm";
import { drizzle, PostgresJsSession } from "drizzle-orm/postgres-js";
import type { Db, DbOrTx } from "./client.ts";

/** The values that a statement is given each time it runs. */
export type Given<Values> = { readonly [Name in keyof Values]-?: Placeholder<Name & string, Values[Name]> };

/** What all kinds of drizzle's queries have in common. */
interface Query<Result> {
  prepare(name: string): Statement<Result>;
}

interface Statement<Result> {
  execute(): Promise<Result>;
  getQuery(): { params: unknown[] };
}

/** drizzle without a database: it only writes statements. */
const writer: Db = drizzle.mock();

/** Has a placeholder under each name that is read from it. */
const given: object = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) });

/**
 * Writes a statement of a hot path only once. drizzle takes longer to write most statements than PostgreSQL takes to run
 * them, and would write them for each run. The result runs on the pool or transaction that it is given. An omitted value
 * is null.
 */
export function prepared<Values extends object, Result>(
  write: (db: Db, given: Given<Values>) => Query<Result>,
): (db: DbOrTx, values: Values) => Promise<Result> {
  let written: Statement<Result> | undefined;
  return (db, values) => {
    written ??= write(writer, given as Given<Values>).prepare("");
    return bindValues(written, db, values as Record<string, unknown>).execute();
  };
}

/** The statement for one run: with the client and the values of this run instead of those drizzle tied to it. */
function bindValues<Result>(
  statement: Statement<Result>,
  db: DbOrTx,
  values: Record<string, unknown>,
): Statement<Result> {
  const { session } = db._;
  if (!is(session, PostgresJsSession)) throw new TypeError("not a database of postgres.js");
  const params = statement.getQuery().params.map((param) => filled(param, values));
  return Object.create(statement, { client: { value: session.client }, params: { value: params } });
}

/** Fills a placeholder as drizzle does, except that null stays null. drizzle's columns would encode null, or fail. */
function filled(param: unknown, values: Record<string, unknown>): unknown {
  if (is(param, Placeholder)) return values[param.name] ?? null;
  if (!is(param, Param) || !is(param.value, Placeholder)) return param;
  const value = values[param.value.name] ?? null;
  return value === null ? null : param.encoder.mapToDriverValue(value);
}
