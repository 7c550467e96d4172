import { boughtPeriod, isInForce } from "../../../../shared/rules/subscription.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import { byProgram } from "../../../mail/mail-budget.ts";
import { lockUser, updateUser } from "../../accounts/users/users.repo.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { deleteNotifications } from "../../notifications/notifications.repo.ts";
import { notify } from "../../notifications/notify.ts";
import { lockSubscription, putOnPlan, updateSubscription } from "../../subscriptions/subscriptions.repo.ts";
import { paidMail } from "../payment-mails.ts";
import { findPayment, lockPayment, updatePayment } from "../payments.repo.ts";
import { closePeriods } from "./payment-periods.repo.ts";

export interface Settlement {
  paidAt: Date;
  /** The Pix that paid it, if the PSP reported it. */
  endToEndId?: string;
  /** The admin who saw the money in their bank account. */
  confirmedBy?: string;
}

/**
 * Marks a payment paid and gives its account what it bought, in one transaction. A settled payment stays unchanged. A payment
 * that expired, or whose charge was withdrawn, is accepted because the money arrived. Locks user, subscription and payment,
 * in that order.
 * @returns whether this call settled it
 */
export async function settlePayment(
  deps: Pick<Deps, "clock" | "jobs" | "mailSeal" | "config">,
  tx: Tx,
  paymentId: string,
  settlement: Settlement,
  origin?: RequestOrigin,
): Promise<boolean> {
  const known = await findPayment(tx, paymentId);
  if (!known) return false;
  const user = await lockUser(tx, known.userId);
  const current = await lockSubscription(tx, known.userId);
  const payment = await lockPayment(tx, paymentId);
  if (payment?.status !== "pending") return false;
  const { userId, planId, periodDays } = payment;
  const now = deps.clock.now();
  const { paidAt, endToEndId, confirmedBy } = settlement;
  const period = boughtPeriod(current, planId, periodDays, now);
  const changesPlan = current !== undefined && current.planId !== planId;
  const isRenewal = current !== undefined && !changesPlan && isInForce(current, now);
  // The rest of the old plan, or of a period that an admin cut short, ends, so that a refund of it does not shorten this one.
  const beginsNext = !isRenewal || current.expiresAt !== null;
  if (user && beginsNext) await closePeriods(tx, userId, period.start);
  await updatePayment(tx, payment.id, {
    status: "paid",
    paidAt,
    endToEndId,
    confirmedBy,
    ...(user ? { periodStart: period.start, periodEnd: period.end } : { failure: "account_gone" }),
  });
  await deleteNotifications(tx, { event: "payment.waiting", subjectId: payment.id });
  await recordAudit(tx, {
    at: now,
    action: "payment.paid",
    actorId: confirmedBy ?? null,
    accountId: userId,
    details: { paymentId, amountCents: payment.amountCents },
    ...origin,
  });
  if (!user) return true;
  if (!isRenewal)
    await putOnPlan(tx, { userId, planId, expiresAt: period.end, now, resetsCounters: changesPlan });
  // A subscription without an end keeps having none.
  else if (current.expiresAt !== null) await updateSubscription(tx, userId, { expiresAt: period.end });
  if (user.isTrial) await updateUser(tx, userId, { isTrial: false });
  const { publicUrl } = deps.config;
  await notify(deps, tx, userId, {
    event: "payment.confirmed",
    subjectId: payment.id,
    details: { amount: payment.amountCents, planName: payment.planName },
    mail: paidMail({ payment, until: period.end, locale: user.locale, publicUrl }),
    cause: byProgram,
  });
  return true;
}
