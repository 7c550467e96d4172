import { type AnyPgColumn, pgTable, uuid } from "drizzle-orm/pg-core";

/** The key of a table that a room above declares: all that a foreign key of a room below needs to know of it. */
export function keyOf(table: string): AnyPgColumn {
  return pgTable(table, { id: uuid().primaryKey() }).id;
}
