import { FREE_REFUSAL_DAYS } from "../../../shared/api/deliveries.ts";
import { addDays } from "../../../shared/rules/days.ts";
import type { Deps } from "../../deps.ts";
import { takeDerivativesOf } from "../../holdings/derivatives/derivatives.repo.ts";
import { discardObjects } from "../../holdings/objects/discard-objects.ts";
import { listStoredObjects } from "../../holdings/objects/stored-objects.repo.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { aboutStudy, recordAudit } from "../audit/audit.repo.ts";
import { chargeAction } from "../subscriptions/charge-action.ts";
import { lockSubscription, removeExams } from "../subscriptions/subscriptions.repo.ts";
import { findStudy } from "./access/find-study.ts";
import { owns } from "./access/study-access.ts";
import { studyNotFound, studyNotOwner } from "./studies.errors.ts";
import { type Caller, deleteStudyRow, lockStudy } from "./studies.repo.ts";
import type { StudyRow } from "./studies.table.ts";

/**
 * Deletes a study. It is in no view when this returns; a job of the same transaction removes its bytes. It costs one action of the
 * owner's month, except for what somebody else delivered in the last days.
 * @throws {AppError} `study.not_found`, `study.not_owner` (a grantee), `quota.actions`
 */
export async function deleteStudy(
  deps: Pick<Deps, "db" | "jobs" | "clock">,
  caller: Caller,
  reference: string,
  origin: RequestOrigin,
): Promise<void> {
  const found = await findStudy(deps.db, caller, reference);
  const isAdmin = caller.role === "admin";
  if (!owns(caller, found)) throw new AppError(studyNotOwner);
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    // The subscription is locked before the study, as uploads and cancellations do.
    await lockSubscription(tx, found.accountId);
    const study = await lockStudy(tx, found.id);
    if (!study) throw new AppError(studyNotFound);
    const { studyInstanceUID } = study;
    if (!isRefusal(study, now))
      await chargeAction(
        tx,
        { userId: caller.userId, isAdmin },
        { exam: "imaging", kind: "delete", studyInstanceUID },
        now,
      );
    await removeExams(tx, study.accountId, "imaging", 1);
    const objects = await listStoredObjects(tx, study.id);
    await discardObjects(deps, tx, [...objects, ...(await takeDerivativesOf(tx, [study.id]))]);
    await deleteStudyRow(tx, study.id);
    await recordAudit(tx, {
      at: now,
      action: "study.deleted",
      actorId: caller.userId,
      ...aboutStudy(study),
      ...origin,
    });
  });
}

/** Whether somebody else delivered the study so lately that its owner may refuse it. */
function isRefusal({ receivedFrom, createdAt }: StudyRow, now: Date): boolean {
  return receivedFrom !== null && now < addDays(createdAt, FREE_REFUSAL_DAYS);
}
