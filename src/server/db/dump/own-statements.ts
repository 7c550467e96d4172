import type { Migration } from "../migrate.ts";
import { DUMP_HEADER, FIXED_STATEMENTS, type ForeignSchema, statementText } from "./write-dump.ts";

/** A name as `format('%I')` writes it. */
const NAME = '(?:[a-z_][a-z0-9_]*|"[^"\\n]+")';
const TABLE = `(?:public|drizzle|pgboss)\\.${NAME}`;
const ROWS = new RegExp(`^copy ${TABLE} \\(${NAME}(?:, ${NAME})*\\) from stdin;$`);
const AROUND_ROWS = [
  new RegExp(`^alter table ${TABLE} (?:disable|enable) trigger user;$`),
  new RegExp(`^delete from ${TABLE};$`),
  new RegExp(`^select setval\\('${TABLE}', [0-9]+\\);$`),
];

/** What a dump may have the database do. */
export interface OwnStatements {
  /** Whether a line begins the rows of a table. */
  beginsRows(line: string): boolean;
  /** Whether `writeDump` of this or an earlier version writes this statement. */
  includes(statement: string): boolean;
}

/**
 * The statements of dumps, which a restore compares before it runs any: a dump comes from a folder that others may have written
 * to, and SQL can start programs. Migrations never change, so those of an earlier version are among these.
 */
export function ownStatements(
  migrations: readonly Migration[],
  foreignSchemas: readonly ForeignSchema[],
): OwnStatements {
  const known = new Set(
    [
      ...FIXED_STATEMENTS,
      ...migrations.flatMap(({ sql }) => sql),
      ...foreignSchemas.map(({ construction }) => construction),
    ].map(statementText),
  );
  return {
    beginsRows: (line) => ROWS.test(line),
    includes(statement) {
      const text = statement.startsWith(DUMP_HEADER) ? statement.slice(DUMP_HEADER.length) : statement;
      return known.has(text) || AROUND_ROWS.some((pattern) => pattern.test(text));
    },
  };
}
