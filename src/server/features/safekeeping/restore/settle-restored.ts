import type { TransactionSql } from "postgres";
import {
  openRestoredFindings,
  type RestoredDamage,
  settleRestoredObjects,
} from "../../../holdings/restored-objects.repo.ts";
import { endRestoredSessions } from "../../accounts/sessions/restored-sessions.repo.ts";
import {
  type RestoredUploads,
  settleRestoredResumables,
} from "../../ingest/resumable/restored-resumables.repo.ts";
import { markRestoredLabExams } from "../../labs/restored-labs.repo.ts";
import { markRestoredStudies, settleRestoredStudies } from "../../studies/restored-studies.repo.ts";

/** What a restore found and brought besides the rows. */
interface Restored {
  damage: readonly RestoredDamage[];
  uploads: RestoredUploads;
  now: Date;
}

/**
 * Adapts restored rows to their new place: everything is in the archive store, nobody is signed in, and no upload is under way but
 * those that came whole. What is known to be damaged or missing there is marked, so that nobody is told that it is kept, and who sends
 * it again heals it.
 */
export async function settleRestored(tx: TransactionSql, { damage, uploads, now }: Restored): Promise<void> {
  await settleRestoredObjects(tx, now);
  await settleRestoredStudies(tx);
  await openRestoredFindings(tx, damage, now);
  await markRestoredStudies(tx, now);
  await markRestoredLabExams(tx);
  await settleRestoredResumables(tx, uploads, now);
  await endRestoredSessions(tx);
}
