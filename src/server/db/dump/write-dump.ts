import { addAbortSignal, type Readable } from "node:stream";
import type { TransactionSql } from "postgres";
import type { Migration } from "../migrate.ts";
import { type DumpedTable, listSequences, listTables } from "./dumped-tables.ts";

/** Ends each statement of a dump except the rows of a table; every other reader takes it for a comment. */
export const STATEMENT_END = "--> statement-breakpoint";
/** Ends the rows of a table. */
export const ROWS_END = "\\.";

/** The first line of a dump. */
export const DUMP_HEADER =
  "-- A dump of Exameteca's database: load it into an empty one with `psql -v ON_ERROR_STOP=1 -f`.\n";

const BEGIN = "begin";
const COMMIT = "commit";
const BEFORE_TABLES = [
  "set client_encoding = 'UTF8'",
  "set standard_conforming_strings = on",
  BEGIN,
  "create schema drizzle",
  "create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)",
  // By itself, since the statements above are those of backups that an earlier release made.
  "alter table drizzle.__drizzle_migrations add column works_from bigint",
];
/** The statements of every dump, apart from those of tables and rows. */
export const FIXED_STATEMENTS: readonly string[] = [...BEFORE_TABLES, COMMIT];

/** How many transactions a dump has: the tables, then their rows. */
export const TRANSACTIONS = 2;

/** A schema that a dump contains in addition to that of the migrations. */
export interface ForeignSchema {
  name: string;
  /** Statements that create the schema with all its tables empty, without those of their own transaction. */
  construction: string;
  /** The tables whose rows are dumped, unquoted; others start empty. */
  tables: readonly string[];
}

/** The schema that the migrations create, and the one that records which of them were applied. */
const OWN_SCHEMAS = ["public", "drizzle"];

/**
 * Writes the database as an SQL script for `psql` and `loadDump`, in pieces: the migrations that created the schema,
 * then the rows of every table as COPY writes them, then the counters. It needs no program of PostgreSQL and contains
 * nothing that depends on a version of it. `tx` must see one snapshot.
 * @param lost ends the reading; aborted when the connection of `tx` ends
 */
export async function* writeDump(
  tx: TransactionSql,
  migrations: readonly Migration[],
  foreignSchemas: readonly ForeignSchema[],
  lost: AbortSignal,
): AsyncGenerator<string | Uint8Array> {
  // A dump must not depend on what this database or role has set: another one reads it.
  await tx.unsafe("set local bytea_output = hex; set local quote_all_identifiers = off");
  yield DUMP_HEADER;
  for (const sql of BEFORE_TABLES) yield statement(sql);
  for (const { sql } of migrations) for (const part of sql) yield statement(part);
  for (const { construction } of foreignSchemas) yield statement(construction);
  // Before PostgreSQL 17 a value that a migration added to an enum can't be used before the migration is committed.
  yield statement(COMMIT);
  yield statement(BEGIN);
  for (const schema of OWN_SCHEMAS) {
    for (const table of await listTables(tx, schema)) yield* rowsOf(tx, table, lost);
    for (const { name, lastValue } of await listSequences(tx, schema)) {
      if (lastValue !== undefined) yield statement(`select setval('${name}', ${lastValue})`);
    }
  }
  for (const { name, tables } of foreignSchemas) {
    const kept = new Set(tables.map((table) => `${name}.${table}`));
    for (const table of await listTables(tx, name)) if (kept.has(table.name)) yield* rowsOf(tx, table, lost);
  }
  yield statement(COMMIT);
}

/** Triggers would count and check rows a second time. */
async function* rowsOf(
  tx: TransactionSql,
  { name, columns }: DumpedTable,
  lost: AbortSignal,
): AsyncGenerator<string | Uint8Array> {
  const list = columns.join(", ");
  yield statement(`alter table ${name} disable trigger user`);
  // The dumped rows include those that a migration inserted.
  yield statement(`delete from ${name}`);
  yield `copy ${name} (${list}) from stdin;\n`;
  const rows: Readable = await tx.unsafe(`copy (select ${list} from ${name}) to stdout`).readable();
  for await (const chunk of addAbortSignal(lost, rows)) yield chunk as Uint8Array;
  yield `${ROWS_END}\n`;
  yield statement(`alter table ${name} enable trigger user`);
}

function statement(sql: string): string {
  return `${statementText(sql)}\n${STATEMENT_END}\n`;
}

/** A statement as a dump has it. */
export function statementText(sql: string): string {
  return `${sql.trim().replace(/;$/, "")};`;
}
