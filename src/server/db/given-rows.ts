import { getTableColumns, type InferSelectModel, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Given } from "./prepared.ts";

/** Rows, turned by a quarter: the values of each column as PostgreSQL writes them. */
export type RowsByColumn<Table extends PgTable> = {
  [Name in keyof InferSelectModel<Table>]: (string | null)[];
};

/** What {@link selectGiven} is given; each row says every column. */
export function byColumn<Table extends PgTable>(
  table: Table,
  rows: readonly InferSelectModel<Table>[],
): RowsByColumn<Table> {
  const lists = columnsOf(table).map(([name, column]) => {
    const values = rows.map((row) => (row as Record<string, unknown>)[name] ?? null);
    return [name, values.map((value) => (value === null ? null : String(column.mapToDriverValue(value))))];
  });
  return Object.fromEntries(lists) as RowsByColumn<Table>;
}

/**
 * The rows that a prepared statement is given, for `insert(table).select(…)`: one text however many there are, where
 * `values` writes another for each number. They arrive as text and become what the table's columns are.
 */
export function selectGiven<Table extends PgTable>(table: Table, given: Given<RowsByColumn<Table>>): SQL {
  const columns = columnsOf(table);
  const names = columns.map(([, column]) => sql.identifier(column.name));
  const values = columns.map(([, column]) => sql.raw(`"${column.name}"::${column.getSQLType()}`));
  const lists = columns.map(([name]) => sql`${given[name as keyof typeof given]}::text[]`);
  const comma = sql`, `;
  return sql`select ${sql.join(values, comma)} from unnest(${sql.join(lists, comma)}) as given (${sql.join(names, comma)})`;
}

function columnsOf(table: PgTable): [name: string, column: PgColumn][] {
  return Object.entries(getTableColumns(table));
}
