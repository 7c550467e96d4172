import type { TransactionSql } from "postgres";

/** After a restore nobody is signed in. */
export async function endRestoredSessions(tx: TransactionSql): Promise<void> {
  await tx`delete from sessions`;
}
