import type { TransactionSql } from "postgres";
import { type LockedSession, lockSession } from "../../../db/locked-session.ts";
import type { Sql } from "../../../db/postgres.ts";
import { RestoreIsRunning } from "../safekeeping.errors.ts";

/** An arbitrary number that nothing else in the database locks. */
const RESTORE_KEY = 4_829_117_306;

/**
 * Keeps other restores out of the database until it is disposed, and so out of a DATA_DIR: those of one use one database.
 * @throws {RestoreIsRunning}
 */
export async function holdRestore(databaseUrl: string): Promise<LockedSession> {
  const session = await lockSession(databaseUrl, "exameteca-restore", async (client) => {
    const [row] = await client`select pg_try_advisory_lock(${RESTORE_KEY}) as is_only`;
    return row?.is_only === true;
  });
  if (!session) throw new RestoreIsRunning();
  return session;
}

/** Whether the database has any table in a schema that this program uses. */
export async function hasTables(sql: TransactionSql): Promise<boolean> {
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
