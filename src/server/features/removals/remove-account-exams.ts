import { removalGraceHours } from "../../../shared/rules/subscription.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { removeLabExamsOf } from "../labs/removed-lab-exams.repo.ts";
import { removeStudiesOf } from "../studies/removed-studies.repo.ts";
import { lockSubscription, updateSubscription } from "../subscriptions/subscriptions.repo.ts";
import { purgeRemovalsQueue } from "./removal-queues.ts";
import { insertRemoval, updateRemoval } from "./removals.repo.ts";
import type { RemovalRow } from "./removals.table.ts";

const GRACE_SECONDS = removalGraceHours * 3600;

/**
 * Hides all exams of an account in the caller's transaction, to be purged after the grace time. Call it before the
 * subscription changes: the removal stores its plan and end. A concurrent upload either commits first and is hidden too, or
 * sees the subscription as the caller leaves it: both lock the subscription first.
 */
export async function removeAccountExams(
  deps: Pick<Deps, "jobs">,
  tx: Tx,
  input: { userId: string; reason: RemovalRow["reason"]; now: Date },
  origin?: RequestOrigin,
): Promise<RemovalRow> {
  const { userId, reason, now } = input;
  const subscription = await lockSubscription(tx, userId);
  if (!subscription) throw new Error("an account without a subscription has none to end");
  const { planId, expiresAt } = subscription;
  const id = Bun.randomUUIDv7();
  // Inserted first, because the removed exams refer to it.
  const removal = await insertRemoval(tx, {
    id,
    userId,
    reason,
    createdAt: now,
    purgeAfter: new Date(now.getTime() + GRACE_SECONDS * 1000),
    planId,
    expiresAt,
    studyCount: 0,
    labExamCount: 0,
  });
  const studyCount = await removeStudiesOf(tx, userId, id);
  const labExamCount = await removeLabExamsOf(tx, userId, id);
  await updateRemoval(tx, id, { studyCount, labExamCount });
  await updateSubscription(tx, userId, { examCount: 0, labExamCount: 0 });
  await recordAudit(tx, {
    at: now,
    action: "exams.removed",
    actorId: reason === "cancelled" ? userId : null,
    accountId: userId,
    details: { removalId: id, reason, studies: studyCount, labExams: labExamCount },
    ...origin,
  });
  await deps.jobs.enqueue(purgeRemovalsQueue, {}, { tx, runAfterSeconds: GRACE_SECONDS });
  return { ...removal, studyCount, labExamCount };
}
