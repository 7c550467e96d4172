import type { TransactionSql } from "postgres";
import type { Sql } from "../../../db/postgres.ts";

/** Whether the database has anything that this program would make there. */
export async function hasTables(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from pg_tables where schemaname in ('public', 'drizzle', 'pgboss') limit 1`;
  return rows.length > 0;
}

/**
 * Makes rows of a backup true of the place they were restored into: everything lies in the archive store, nobody is signed
 * in, and no upload is under way.
 */
export async function settleRestored(tx: TransactionSql, now: Date): Promise<void> {
  await tx`update stored_objects set location = 'archive', staged_on = null
    where location <> 'archive' or staged_on is not null`;
  await tx`update studies set storage_status = 'b2' where storage_status <> 'b2'`;
  await tx`update uploads set state = 'failed', finished_at = ${now.toISOString()}, bytes_removed_at = ${now.toISOString()}
    where state = 'receiving'`;
  await tx`delete from sessions`;
}
