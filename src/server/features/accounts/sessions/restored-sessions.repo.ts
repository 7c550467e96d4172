import type { TransactionSql } from "postgres";

/** Ends every session and access token after a restore: those that were ended since the backup must not come back. */
export async function endRestoredSessions(tx: TransactionSql): Promise<void> {
  await tx`delete from sessions`;
  await tx`delete from access_tokens`;
}
