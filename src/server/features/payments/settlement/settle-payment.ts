import { boughtPeriod, isInForce } from "../../../../shared/rules/subscription.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import type { MailContent } from "../../../mail/compose-mail.ts";
import { byProgram } from "../../../mail/mail-budget.ts";
import { lockUser, updateUser } from "../../accounts/users/users.repo.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { deleteNotifications } from "../../notifications/notifications.repo.ts";
import { type NotifyDeps, notify } from "../../notifications/notify.ts";
import { lockSubscription, putOnPlan, updateSubscription } from "../../subscriptions/subscriptions.repo.ts";
import { paidMail, supersededMail } from "../payment-mails.ts";
import { findPayment, lockPayment, updatePayment } from "../payments.repo.ts";
import type { PaymentRow } from "../payments.table.ts";
import { closePeriods, findLaterPeriod } from "./payment-periods.repo.ts";

export interface Settlement {
  paidAt: Date;
  /** The Pix that paid it, if the PSP reported it. */
  endToEndId?: string;
  /** The admin who saw the money in their bank account. */
  confirmedBy?: string;
}

/**
 * Marks a payment paid and gives its account what it bought, in one transaction. A settled payment stays unchanged. A payment
 * that expired, or whose charge was withdrawn, is accepted because the money arrived. A payment that becomes known after a later
 * one of another plan gets an empty period, and that plan goes on, as if both had been known in their order.
 * Locks user, subscription and payment, in that order.
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
  const changesPlan = current !== undefined && current.planId !== planId;
  const isRenewal = current !== undefined && !changesPlan && isInForce(current, now);
  const isEndless = isRenewal && current.expiresAt === null;
  const later =
    changesPlan && isInForce(current, now)
      ? await findLaterPeriod(tx, { userId, planId: current.planId }, paidAt, now)
      : undefined;
  const period = later
    ? { start: later.start, end: later.start }
    : boughtPeriod(current, planId, periodDays, now);
  // The rest of the old plan, or of a period that an admin cut short, ends, so that a refund of it does not shorten this one.
  if (user && !isEndless && !later) await closePeriods(tx, userId, period.start);
  await updatePayment(tx, payment.id, {
    status: "paid",
    paidAt,
    endToEndId,
    confirmedBy,
    ...(user && { periodStart: period.start, periodEnd: period.end }),
    failure: user ? (later ? "superseded" : null) : "account_gone",
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
  const { locale } = user;
  const { publicUrl } = deps.config;
  const told = { payment, locale, publicUrl };
  if (later) return await tellUser(deps, tx, payment, supersededMail(told));
  if (!isRenewal)
    await putOnPlan(tx, { userId, planId, expiresAt: period.end, now, resetsCounters: changesPlan });
  // A subscription without an end keeps having none.
  else if (!isEndless) await updateSubscription(tx, userId, { expiresAt: period.end });
  if (user.isTrial) await updateUser(tx, userId, { isTrial: false });
  return await tellUser(deps, tx, payment, paidMail({ ...told, until: isEndless ? null : period.end }));
}

async function tellUser(
  deps: NotifyDeps,
  tx: Tx,
  { id, userId, amountCents, planName }: PaymentRow,
  mail: MailContent,
): Promise<true> {
  await notify(deps, tx, userId, {
    event: "payment.confirmed",
    subjectId: id,
    details: { amount: amountCents, planName },
    mail,
    cause: byProgram,
  });
  return true;
}
