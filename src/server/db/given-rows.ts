import { getTableColumns, type InferInsertModel, type InferSelectModel, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Given } from "./prepared.ts";

/** A row with every column that is written; the database fills generated ones. */
export type WrittenRow<Table extends PgTable> = Pick<
  InferSelectModel<Table>,
  keyof InferSelectModel<Table> & keyof InferInsertModel<Table>
>;

/** Rows as one list of values for each column, in PostgreSQL's text format. */
export type RowsByColumn<Table extends PgTable> = {
  [Name in keyof WrittenRow<Table>]: (string | null)[];
};

/** Turns rows into the argument of {@link selectGiven}. Each row must have every column. */
export function byColumn<Table extends PgTable>(
  table: Table,
  rows: readonly WrittenRow<Table>[],
): RowsByColumn<Table> {
  const lists = columnsOf(table).map(([name, column]) => {
    const values = rows.map((row) => (row as Record<string, unknown>)[name] ?? null);
    return [name, values.map((value) => (value === null ? null : String(column.mapToDriverValue(value))))];
  });
  return Object.fromEntries(lists) as RowsByColumn<Table>;
}

/**
 * Selects the rows that a prepared statement is given, for `insert(table).select(…)`. The statement's text is the same for
 * any number of rows, while `values` has a different text for each number. Values arrive as text and are cast to the
 * types of the columns.
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
  return Object.entries(getTableColumns(table)).filter(([, { generated }]) => generated === undefined);
}
