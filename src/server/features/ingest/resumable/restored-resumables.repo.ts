import type { TransactionSql } from "postgres";

/** Forgets resumable uploads after a restore: a backup leaves out the bytes of those under way, and the rest are only notices. */
export async function forgetRestoredResumables(tx: TransactionSql): Promise<void> {
  await tx`delete from resumable_uploads`;
}
