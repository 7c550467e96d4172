import type { TransactionSql } from "postgres";

/** Ends every session after a restore, so that everyone must sign in again. */
export async function endRestoredSessions(tx: TransactionSql): Promise<void> {
  await tx`delete from sessions`;
}
