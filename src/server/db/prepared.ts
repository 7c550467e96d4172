import type { DbOrTx } from "./client.ts";

/**
 * A statement of a hot path, written once a database: drizzle writes other queries anew each time, which `preparing.ts`
 * can't spare them. `prepare` ends in drizzle's `.prepare(name)`, with `sql.placeholder` for what changes.
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
