import type { TransactionSql } from "postgres";

/** After a restore the bytes of every study lie in the archive store. */
export async function settleRestoredStudies(tx: TransactionSql): Promise<void> {
  await tx`update studies set storage_status = 'b2' where storage_status <> 'b2'`;
}
