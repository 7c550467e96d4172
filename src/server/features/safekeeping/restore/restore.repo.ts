import type { Sql } from "../../../db/postgres.ts";

/** Whether the database has any table in a schema that this program uses. */
export async function hasTables(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from pg_tables where schemaname in ('public', 'drizzle', 'pgboss') limit 1`;
  return rows.length > 0;
}

const INSUFFICIENT_PRIVILEGE = "42501";

/** A line that names this database among all others, as far as its user may ask. */
export async function nameOfDatabase(sql: Sql): Promise<string> {
  const [own] = await sql`select oid::text, datname from pg_database where datname = current_database()`;
  const server = await sql`select system_identifier::text from pg_control_system()`.catch((error) => {
    if (error?.code !== INSUFFICIENT_PRIVILEGE) throw error;
    return [];
  });
  return JSON.stringify({ ...own, ...server[0] });
}
