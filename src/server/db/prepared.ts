import type { DbOrTx } from "./client.ts";

/**
 * A statement that is asked again and again: written once a database, and planned by PostgreSQL once a connection.
 * Other queries are written anew each time and cost a second round trip. `prepare` ends in drizzle's
 * `.prepare(name)`, with `sql.placeholder` for what changes.
 */
export function prepared<Statement>(prepare: (db: DbOrTx) => Statement): (db: DbOrTx) => Statement {
  const statements = new WeakMap<DbOrTx, Statement>();
  return (db) => {
    const known = statements.get(db);
    if (known) return known;
    const statement = prepare(db);
    statements.set(db, statement);
    return statement;
  };
}
