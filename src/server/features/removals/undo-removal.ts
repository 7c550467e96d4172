import type { UndoneRemoval } from "../../../shared/api/subscriptions.ts";
import { isInForce } from "../../../shared/rules/subscription.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { mailUser } from "../accounts/users/mail-user.ts";
import { lockUser } from "../accounts/users/users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { bringLabExamsBack } from "../labs/removed-lab-exams.repo.ts";
import { reopenPeriods, sumRefundedMs } from "../payments/settlement/payment-periods.repo.ts";
import { bringStudiesBack } from "../studies/removed-studies.repo.ts";
import { deleteRemovalNotices } from "../subscriptions/notices.repo.ts";
import { restoredMail } from "../subscriptions/subscription-mails.ts";
import {
  addExams,
  lockSubscription,
  type SubscriptionRow,
  updateSubscription,
} from "../subscriptions/subscriptions.repo.ts";
import { removalNotFound, removalOver } from "./removals.errors.ts";
import { findRemoval, lockRemoval, updateRemoval } from "./removals.repo.ts";
import type { RemovalRow } from "./removals.table.ts";

/**
 * Restores the exams of a removal, and the subscription of that time unless another is in force. Studies that were uploaded
 * again since stay removed and are purged after the grace time.
 * @throws {AppError} `removal.not_found`; `removal.over` if it was purged or undone
 */
export async function undoRemoval(
  deps: Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal">,
  admin: Pick<Session, "userId">,
  id: string,
  origin: RequestOrigin,
): Promise<UndoneRemoval> {
  const now = deps.clock.now();
  return await deps.db.transaction(async (tx) => {
    const known = await findRemoval(tx, id);
    if (!known) throw new AppError(removalNotFound);
    const user = await lockUser(tx, known.userId);
    const current = await lockSubscription(tx, known.userId);
    const removal = await lockRemoval(tx, id);
    if (!user || !current || !removal) throw new AppError(removalNotFound);
    if (removal.undoneAt || removal.purgedAt) throw new AppError(removalOver);
    const studies = await bringStudiesBack(tx, id);
    const undone = { ...studies, labExams: await bringLabExamsBack(tx, id) };
    await updateRemoval(tx, id, { undoneAt: now });
    await addExams(tx, user.id, { imaging: undone.studies, lab: undone.labExams });
    const subscription = await restoreSubscription(tx, removal, current, now);
    await recordAudit(tx, {
      at: now,
      action: "exams.restored",
      actorId: admin.userId,
      accountId: user.id,
      details: { removalId: id, ...undone },
      ...origin,
    });
    await mailUser(
      deps,
      tx,
      user,
      restoredMail({
        ...undone,
        subscription,
        isActive: isInForce(subscription, now),
        locale: user.locale,
        publicUrl: deps.config.publicUrl,
      }),
    );
    return undone;
  });
}

/** Restores the subscription if none is in force. Returns the current one. */
async function restoreSubscription(
  tx: Tx,
  { userId, planId, expiresAt, createdAt }: RemovalRow,
  current: SubscriptionRow,
  now: Date,
): Promise<SubscriptionRow> {
  // Without a renewal, the warnings are sent again before the next removal.
  if (expiresAt) await deleteRemovalNotices(tx, userId, expiresAt);
  if (isInForce(current, now)) return current;
  const refundedMs = await sumRefundedMs(tx, userId, createdAt);
  const end = expiresAt && new Date(expiresAt.getTime() - refundedMs);
  const before = { planId, status: "active", expiresAt: end } as const;
  await updateSubscription(tx, userId, before);
  await reopenPeriods(tx, userId, createdAt);
  return { ...current, ...before };
}
