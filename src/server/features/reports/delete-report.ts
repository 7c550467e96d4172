import type { Deps } from "../../deps.ts";
import { discardObjects } from "../../holdings/objects/discard-objects.ts";
import { deleteStoredObjects } from "../../holdings/objects/stored-objects.repo.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { aboutStudy, recordAudit } from "../audit/audit.repo.ts";
import { deleteNotifications } from "../notifications/notifications.repo.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { mayDeleteReport } from "../studies/access/study-access.ts";
import { checkIfUnsound } from "../studies/check-if-unsound.ts";
import { studyNotFound, studyNotOwner } from "../studies/studies.errors.ts";
import { type Caller, lockStudy, setHasReport } from "../studies/studies.repo.ts";
import { reportNotFound } from "./reports.errors.ts";
import { findReport } from "./reports.repo.ts";

/**
 * Deletes a study's report, for the study's owner, an admin, or the account that uploaded the report.
 * @throws {AppError} `study.not_found`, `report.not_found`, `study.not_owner`
 */
export async function deleteReport(
  deps: Pick<Deps, "db" | "jobs" | "clock">,
  caller: Caller,
  reference: string,
  origin: RequestOrigin,
): Promise<void> {
  const found = await findStudy(deps.db, caller, reference);
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    const study = await lockStudy(tx, found.id);
    if (!study) throw new AppError(studyNotFound);
    const stored = await findReport(tx, study.id);
    if (!stored) throw new AppError(reportNotFound);
    const { userId } = caller;
    if (!mayDeleteReport(caller, study, stored.report.uploadedBy === userId))
      throw new AppError(studyNotOwner);
    await discardObjects(deps, tx, [stored.object]);
    // The report's row is deleted with the object that it names.
    await deleteStoredObjects(tx, [stored.object.id], { healedBy: "removed", at: now });
    await setHasReport(tx, study.id, false);
    await deleteNotifications(tx, { event: "report.attached", subjectId: study.id });
    await checkIfUnsound(deps, tx, study, stored.object.id);
    await recordAudit(tx, {
      at: now,
      action: "report.deleted",
      actorId: userId,
      ...aboutStudy(study),
      ...origin,
    });
  });
}
