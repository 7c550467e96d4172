import { is, Param, Placeholder, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import type { Db, DbOrTx } from "./client.ts";
import { OneStatement, type Statement, statementFor } from "./one-statement.ts";

/** The values that a statement is given each time it runs. */
export type Given<Values> = { readonly [Name in keyof Values]-?: Placeholder<Name & string, Values[Name]> };

/** What all kinds of drizzle's queries have in common. */
interface Query<Result> {
  prepare(name: string): Statement<Result>;
}

/** drizzle without a database: it only writes statements. */
const writer: Db = drizzle.mock();

/** Has a placeholder under each name that is read from it. */
const given: object = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) });

/**
 * Writes a statement of a hot path only once. drizzle takes longer to write most statements than PostgreSQL takes to run
 * them, and would write them for each run. The result runs on the pool or transaction that it is given, or in one statement
 * with others. An omitted value is null.
 */
export function prepared<Values extends object, Result>(
  write: (db: Db, given: Given<Values>) => Query<Result>,
): (db: DbOrTx | OneStatement, values: Values) => Promise<Result> {
  let written: Statement<Result> | undefined;
  return (db, values) => {
    written ??= write(writer, given as Given<Values>).prepare("");
    const params = written.getQuery().params.map((param) => filled(param, values as Record<string, unknown>));
    if (db instanceof OneStatement) return db.add(written, params);
    return statementFor(db, written, params).execute();
  };
}

/** Fills a placeholder as drizzle does, except that null stays null. drizzle's columns would encode null, or fail. */
function filled(param: unknown, values: Record<string, unknown>): unknown {
  if (is(param, Placeholder)) return values[param.name] ?? null;
  if (!is(param, Param) || !is(param.value, Placeholder)) return param;
  const value = values[param.value.name] ?? null;
  return value === null ? null : param.encoder.mapToDriverValue(value);
}
