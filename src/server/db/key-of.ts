import { type AnyPgColumn, pgTable, uuid } from "drizzle-orm/pg-core";

/** The key of a table that a higher room declares: the only part of it that a foreign key of a lower room needs. */
export function keyOf(table: string): AnyPgColumn {
  return pgTable(table, { id: uuid().primaryKey() }).id;
}
