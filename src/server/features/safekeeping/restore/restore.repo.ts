import type { Sql } from "../../../db/postgres.ts";

/** Whether the database has any table in a schema that this program uses. */
export async function hasTables(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from pg_tables where schemaname in ('public', 'drizzle', 'pgboss') limit 1`;
  return rows.length > 0;
}
