import type { Deps } from "../../deps.ts";
import { discardObjects } from "../../holdings/objects/discard-objects.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { chargeAction } from "../subscriptions/charge-action.ts";
import { lockSubscription, removeExams } from "../subscriptions/subscriptions.repo.ts";
import { labExamNotFound } from "./labs.errors.ts";
import { deleteLabExamRow } from "./labs.repo.ts";

/**
 * Deletes a lab exam and its bytes; it costs one lab action of the month.
 * @throws {AppError} `lab.not_found`, `quota.actions`, `subscription.required`
 */
export async function deleteLabExam(
  deps: Pick<Deps, "db" | "jobs" | "clock">,
  session: Session,
  id: string,
  origin: RequestOrigin,
): Promise<void> {
  const { userId } = session;
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    // The subscription is locked before the exam, as cancellations do.
    await lockSubscription(tx, userId);
    const exam = await deleteLabExamRow(tx, userId, id);
    if (!exam) throw new AppError(labExamNotFound);
    await chargeAction(tx, { userId, isAdmin: false }, { exam: "lab", kind: "delete" }, now);
    await removeExams(tx, userId, "lab", 1);
    await discardObjects(deps, tx, [{ key: exam.key, stagedOn: null }]);
    await recordAudit(tx, {
      at: now,
      action: "lab.deleted",
      actorId: userId,
      accountId: userId,
      details: { id },
      ...origin,
    });
  });
}
