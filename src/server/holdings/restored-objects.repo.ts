import type { TransactionSql } from "postgres";

/** Records, after a restore, that every object is in the archive store, no upload is under way, and no series has a copy. */
export async function settleRestoredObjects(tx: TransactionSql, now: Date): Promise<void> {
  await tx`update stored_objects set location = 'archive', staged_on = null
    where location <> 'archive' or staged_on is not null`;
  await tx`update uploads set state = 'failed', finished_at = ${now.toISOString()}, bytes_removed_at = ${now.toISOString()}
    where state = 'receiving'`;
  // No backup has their bytes.
  await tx`delete from derivatives`;
}
