import { remainingMs } from "../../../../shared/rules/subscription.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { mailUser } from "../../accounts/users/mail-user.ts";
import { lockUser } from "../../accounts/users/users.repo.ts";
import type { UserRow } from "../../accounts/users/users.table.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { lockSubscription, updateSubscription } from "../../subscriptions/subscriptions.repo.ts";
import { listDevolucoes } from "../devolucoes.repo.ts";
import { refundedMail, returnedMail } from "../payment-mails.ts";
import { findPayment, lockPayment, updatePayment } from "../payments.repo.ts";
import type { PaymentRow } from "../payments.table.ts";
import { shiftPeriods } from "./payment-periods.repo.ts";

export interface LockedPayment {
  payment: PaymentRow;
  /** Undefined if the account is deleted. */
  user: UserRow | undefined;
}

/** Locks user, subscription and payment, in the order that every change of a paid period uses. */
export async function lockPaymentOfAccount(tx: Tx, paymentId: string): Promise<LockedPayment | undefined> {
  const known = await findPayment(tx, paymentId);
  if (!known) return undefined;
  const user = await lockUser(tx, known.userId);
  await lockSubscription(tx, known.userId);
  const payment = await lockPayment(tx, paymentId);
  return payment && { payment, user };
}

/**
 * Settles returned money: ends the rest of its period and moves later paid periods forward. A refunded payment stays
 * unchanged.
 * @param by `admin` if an admin asked for it, `psp` if the PSP or the payer's bank returned it
 * @returns whether this call settled it
 */
export async function settleRefund(
  deps: Pick<Deps, "clock" | "config" | "jobs" | "mailSeal">,
  tx: Tx,
  paymentId: string,
  by: "admin" | "psp",
): Promise<boolean> {
  const locked = await lockPaymentOfAccount(tx, paymentId);
  if (!locked || locked.payment.status === "refunded") return false;
  const { payment, user } = locked;
  const now = deps.clock.now();
  await updatePayment(tx, paymentId, {
    status: "refunded",
    refundedAt: now,
    ...(by === "admin"
      ? { devolucaoStatus: "DEVOLVIDO" }
      : payment.devolucaoId !== null && { devolucaoStatus: await endOfRefund(tx, payment) }),
  });
  await takePeriodBack(tx, payment, now);
  await recordAudit(tx, {
    at: now,
    action: "payment.refunded",
    actorId: null,
    accountId: payment.userId,
    details: { paymentId, amountCents: payment.amountCents, by },
  });
  if (!user) return true;
  const { locale } = user;
  const mail = by === "admin" ? refundedMail({ payment, locale }) : returnedMail({ payment, locale });
  await mailUser(deps, tx, user, mail);
  return true;
}

/** What became of an admin's refund, now that nothing is left to return. */
async function endOfRefund(
  tx: Tx,
  { id, devolucaoId: own }: PaymentRow,
): Promise<"DEVOLVIDO" | "NAO_REALIZADO"> {
  const known = await listDevolucoes(tx, id);
  const isDone = known.some(({ devolucaoId, status }) => devolucaoId === own && status === "DEVOLVIDO");
  return isDone ? "DEVOLVIDO" : "NAO_REALIZADO";
}

/** A period that an admin cut short by moving the subscription's end loses only what the subscription still had of it. */
async function takePeriodBack(tx: Tx, payment: PaymentRow, now: Date): Promise<void> {
  const { id: paymentId, userId, planId, periodStart: start, periodEnd } = payment;
  if (!start || !periodEnd) return;
  const subscription = await lockSubscription(tx, userId);
  const expiresAt = subscription?.planId === planId ? subscription.expiresAt : null;
  const end = expiresAt && expiresAt < periodEnd ? expiresAt : periodEnd;
  const lostMs = remainingMs({ start, end }, now);
  if (lostMs <= 0) return;
  await updatePayment(tx, paymentId, { periodEnd: new Date(end.getTime() - lostMs) });
  await shiftPeriods(tx, userId, { periodStart: periodEnd, paymentId }, lostMs);
  if (expiresAt) await updateSubscription(tx, userId, { expiresAt: new Date(expiresAt.getTime() - lostMs) });
}
