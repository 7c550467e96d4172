import { desc } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { openPostgres } from "../../db/postgres.ts";
import { backups } from "./backups.table.ts";

/** Records that a backup ended. A database that an older version migrated has no place for it. */
export async function recordBackup(databaseUrl: string, madeAt: Date): Promise<void> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    const [found] = await sql`select to_regclass('public.backups') is not null as has_table`;
    if (!found?.has_table) return;
    await sql.begin(async (tx) => {
      await tx`delete from backups`;
      await tx`insert into backups (id, made_at) values (${Bun.randomUUIDv7()}, ${madeAt.toISOString()})`;
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** When the last backup ended; undefined before the first. */
export async function findLastBackup(db: DbOrTx): Promise<Date | undefined> {
  const [row] = await db
    .select({ madeAt: backups.madeAt })
    .from(backups)
    .orderBy(desc(backups.madeAt))
    .limit(1);
  return row?.madeAt;
}
