import type { TransactionSql } from "postgres";
import { settleRestoredObjects } from "../../../holdings/restored-objects.repo.ts";
import { endRestoredSessions } from "../../accounts/sessions/restored-sessions.repo.ts";
import { forgetRestoredResumables } from "../../ingest/resumable/restored-resumables.repo.ts";
import { settleRestoredStudies } from "../../studies/restored-studies.repo.ts";

/**
 * Adapts restored rows to their new place: everything is in the archive store, nobody is signed in, and no upload is under way.
 */
export async function settleRestored(tx: TransactionSql, now: Date): Promise<void> {
  await settleRestoredObjects(tx, now);
  await settleRestoredStudies(tx);
  await forgetRestoredResumables(tx);
  await endRestoredSessions(tx);
}
