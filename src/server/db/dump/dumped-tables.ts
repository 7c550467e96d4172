import type { TransactionSql } from "postgres";

/** A table as a dump names it. */
export interface DumpedTable {
  /** Schema and name, quoted. */
  name: string;
  /** Every stored column, quoted, in the order of the table. */
  columns: string[];
}

/** The counter of a column, with its next value. */
export interface DumpedSequence {
  name: string;
  /** `undefined` if it has given no value yet. */
  lastValue: string | undefined;
}

/**
 * The tables of a schema, each after the tables that its foreign keys reference, so that rows can be loaded in this
 * order. Partitions, which belong to their parents, and generated columns are left out.
 * @throws {TablesReferInCircles}
 */
export async function listTables(tx: TransactionSql, schema: string): Promise<DumpedTable[]> {
  const tables = await tx<{ oid: number; name: string; columns: string[] }[]>`
    select c.oid::int as oid, format('%I.%I', n.nspname, c.relname) as name,
      array_agg(format('%I', a.attname) order by a.attnum) as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where n.nspname = ${schema} and c.relkind in ('r', 'p') and not c.relispartition
    group by c.oid, n.nspname, c.relname
    order by name`;
  const references = await tx<{ from: number; to: number }[]>`
    select distinct conrelid::int as "from", confrelid::int as "to" from pg_constraint
    where contype = 'f' and conrelid <> confrelid`;
  return inLoadingOrder([...tables], [...references]).map(({ name, columns }) => ({ name, columns }));
}

/** The counters of a schema. */
export async function listSequences(tx: TransactionSql, schema: string): Promise<DumpedSequence[]> {
  const rows = await tx<{ name: string; last: string | null }[]>`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as last
    from pg_sequences where schemaname = ${schema} order by name`;
  return rows.map(({ name, last }) => ({ name, lastValue: last ?? undefined }));
}

/** Tables whose foreign keys form a circle: there is no order in which a dump could load them. */
export class TablesReferInCircles extends Error {
  override name = "TablesReferInCircles";
}

function inLoadingOrder<Table extends { oid: number; name: string }>(
  tables: Table[],
  references: { from: number; to: number }[],
): Table[] {
  const ordered: Table[] = [];
  let waiting = tables;
  while (waiting.length > 0) {
    const missing = new Set(waiting.map(({ oid }) => oid));
    const isReady = ({ oid }: Table) => !references.some(({ from, to }) => from === oid && missing.has(to));
    const ready = waiting.filter(isReady);
    if (ready.length === 0) throw new TablesReferInCircles(waiting.map(({ name }) => name).join(", "));
    ordered.push(...ready);
    waiting = waiting.filter((table) => !ready.includes(table));
  }
  return ordered;
}
