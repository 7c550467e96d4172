import { isInForce } from "../../../shared/rules/subscription.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { findOperatorEmail } from "../accounts/users/find-operator.ts";
import { mailUser } from "../accounts/users/mail-user.ts";
import { lockUser } from "../accounts/users/users.repo.ts";
import type { UserRow } from "../accounts/users/users.table.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { endPeriods } from "../payments/settlement/payment-periods.repo.ts";
import { insertNotice } from "../subscriptions/notices.repo.ts";
import { cancelledMail } from "../subscriptions/subscription-mails.ts";
import { subscriptionNotActive } from "../subscriptions/subscriptions.errors.ts";
import { findPlan, lockSubscription, updateSubscription } from "../subscriptions/subscriptions.repo.ts";
import type { RemovalRow } from "./removals.table.ts";
import { removeAccountExams } from "./remove-account-exams.ts";

type CancelDeps = Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal">;

/**
 * Ends the caller's own subscription now, including prepaid periods, and removes their exams: hidden at once, purged after
 * the grace time. An admin's exams stay, because admins need no subscription for them. Locks user, subscription, payments and
 * studies, in that order.
 * @throws {AppError} `subscription.not_active`
 */
export async function cancelSubscription(
  deps: CancelDeps,
  session: Pick<Session, "userId">,
  origin: RequestOrigin,
): Promise<void> {
  const { userId } = session;
  await deps.db.transaction(async (tx) => {
    const user = await lockUser(tx, userId);
    const subscription = await lockSubscription(tx, userId);
    // Read after the locks, so that a transaction that waited does not end the subscription before the change it waited for.
    const now = deps.clock.now();
    if (!user || !subscription || !isInForce(subscription, now)) throw new AppError(subscriptionNotActive);
    await endPeriods(tx, userId, now);
    const removal =
      user.role === "admin"
        ? undefined
        : await removeAccountExams(deps, tx, { userId, reason: "cancelled", now }, origin);
    await updateSubscription(tx, userId, { expiresAt: now });
    // The user knows already, so no mail says that the subscription expired.
    await insertNotice(tx, { userId, kind: "expiring.0", expiresAt: now, sentAt: now });
    const plan = await findPlan(tx, subscription.planId);
    await recordAudit(tx, {
      at: now,
      action: "subscription.cancelled",
      actorId: userId,
      accountId: userId,
      details: { plan: plan?.slug, expiresAt: subscription.expiresAt?.toISOString() ?? null },
      ...origin,
    });
    await tellUser(deps, tx, { user, removal, planName: plan?.name ?? "" });
  });
}

async function tellUser(
  deps: CancelDeps,
  tx: Tx,
  told: { user: UserRow; removal: RemovalRow | undefined; planName: string },
): Promise<void> {
  const { user, removal, planName } = told;
  const contact = await findOperatorEmail(deps, tx);
  await mailUser(
    deps,
    tx,
    user,
    cancelledMail({
      plan: planName,
      locale: user.locale,
      contact,
      removed: removal && {
        studies: removal.studyCount,
        labExams: removal.labExamCount,
        undoUntil: removal.purgeAfter,
      },
    }),
  );
}
