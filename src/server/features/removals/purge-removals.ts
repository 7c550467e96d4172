import type { Deps } from "../../deps.ts";
import { discardObjects } from "../../holdings/objects/discard-objects.ts";
import { lockUser } from "../accounts/users/users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { deleteRemovedLabExams } from "../labs/removed-lab-exams.repo.ts";
import { deleteRemovedStudies } from "../studies/removed-studies.repo.ts";
import { findRemoval, listDueRemovals, lockRemoval, updateRemoval } from "./removals.repo.ts";

const REMOVALS_AT_ONCE = 100;
const STUDIES_AT_ONCE = 20;
const LAB_EXAMS_AT_ONCE = 500;

type PurgeDeps = Pick<Deps, "db" | "databaseClock" | "jobs">;

/**
 * Permanently deletes the exams of removals whose grace time is over. Safe to kill and run again. A removal that fails does
 * not stop the others; the job is retried.
 */
export async function purgeRemovals(deps: PurgeDeps): Promise<void> {
  const now = await deps.databaseClock.nowForDeletion(deps.db);
  let afterId: string | null = null;
  let failure: unknown;
  for (;;) {
    const ids: string[] = await listDueRemovals(deps.db, now, afterId, REMOVALS_AT_ONCE);
    for (const id of ids) {
      try {
        while (await purgeBatch(deps, id, now));
      } catch (error) {
        failure ??= error;
      }
    }
    afterId = ids.at(-1) ?? null;
    if (ids.length < REMOVALS_AT_ONCE) break;
  }
  if (failure) throw failure;
}

/**
 * Deletes one batch: the rows and the jobs that delete their bytes, in one transaction. The first batch marks the removal as
 * purged, because a partly deleted removal cannot be undone.
 * @returns whether more may be left
 */
async function purgeBatch(deps: PurgeDeps, id: string, now: Date): Promise<boolean> {
  return await deps.db.transaction(async (tx) => {
    const known = await findRemoval(tx, id);
    if (!known) return false;
    // The same lock order as the deletion of an account, whose cascade deletes removals and studies in any order.
    await lockUser(tx, known.userId);
    const removal = await lockRemoval(tx, id);
    if (!removal || removal.purgeAfter > now) return false;
    const { userId, studyCount, labExamCount } = removal;
    if (!removal.undoneAt && !removal.purgedAt) {
      await updateRemoval(tx, id, { purgedAt: now });
      const details = { removalId: id, studies: studyCount, labExams: labExamCount };
      await recordAudit(tx, { at: now, action: "exams.purged", actorId: null, accountId: userId, details });
    }
    const objects =
      (await deleteRemovedStudies(tx, id, STUDIES_AT_ONCE)) ??
      (await deleteRemovedLabExams(tx, id, LAB_EXAMS_AT_ONCE));
    if (!objects) return false;
    await discardObjects(deps, tx, objects);
    return true;
  });
}
