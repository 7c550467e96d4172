import type { TransactionSql } from "postgres";
import type { Migration } from "../migrate.ts";
import { type DumpedTable, listSequences, listTables } from "./dumped-tables.ts";

/** Ends each statement of a dump but the rows of a table; a comment to every other reader. */
export const STATEMENT_END = "--> statement-breakpoint";
/** Ends the rows of a table. */
export const ROWS_END = "\\.";

/** A schema that a dump holds beside the migrations' own. */
export interface ForeignSchema {
  name: string;
  /** Makes the schema with all its tables empty; statements of its own transaction are not among it. */
  construction: string;
  /** The tables whose rows are kept, unquoted; others start empty. */
  tables: readonly string[];
}

/** The schema that the migrations make, and the one that keeps which of them were applied. */
const OWN_SCHEMAS = ["public", "drizzle"];

/**
 * The database as a script of SQL that `psql` and `loadDump` take, in pieces: the migrations that made the schema, then
 * the rows of every table as COPY writes them, then the counters. It needs no program of PostgreSQL's, and holds nothing
 * that belongs to a version of it. `tx` has to see one snapshot.
 */
export async function* writeDump(
  tx: TransactionSql,
  migrations: readonly Migration[],
  foreignSchemas: readonly ForeignSchema[],
): AsyncGenerator<string | Uint8Array> {
  yield "-- A dump of Exameteca's database: load it into an empty one with `psql -v ON_ERROR_STOP=1 -f`.\n";
  yield statement("begin");
  yield statement("set local client_encoding = 'UTF8'");
  yield statement("set local standard_conforming_strings = on");
  yield statement("create schema drizzle");
  yield statement(
    "create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)",
  );
  for (const { sql } of migrations) for (const part of sql) yield statement(part);
  for (const { construction } of foreignSchemas) yield statement(construction);
  for (const schema of OWN_SCHEMAS) {
    for (const table of await listTables(tx, schema)) yield* rowsOf(tx, table);
    for (const { name, lastValue } of await listSequences(tx, schema)) {
      if (lastValue !== undefined) yield statement(`select setval('${name}', ${lastValue})`);
    }
  }
  for (const { name, tables } of foreignSchemas) {
    const kept = new Set(tables.map((table) => `${name}.${table}`));
    for (const table of await listTables(tx, name)) if (kept.has(table.name)) yield* rowsOf(tx, table);
  }
  yield statement("commit");
}

/** Triggers would count and guard rows a second time. */
async function* rowsOf(
  tx: TransactionSql,
  { name, columns }: DumpedTable,
): AsyncGenerator<string | Uint8Array> {
  const list = columns.join(", ");
  yield statement(`alter table ${name} disable trigger user`);
  // What a migration itself put in is in the rows, too.
  yield statement(`delete from ${name}`);
  yield `copy ${name} (${list}) from stdin;\n`;
  const rows = await tx.unsafe(`copy (select ${list} from ${name}) to stdout`).readable();
  for await (const chunk of rows) yield chunk as Uint8Array;
  yield `${ROWS_END}\n`;
  yield statement(`alter table ${name} enable trigger user`);
}

function statement(sql: string): string {
  return `${sql.trim().replace(/;$/, "")};\n${STATEMENT_END}\n`;
}
