import type { TransactionSql } from "postgres";

/** Records, after a restore, that the bytes of every study are in the archive store. */
export async function settleRestoredStudies(tx: TransactionSql): Promise<void> {
  await tx`update studies set storage_status = 'b2' where storage_status <> 'b2'`;
}
