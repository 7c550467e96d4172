import type { AdminPayment } from "../../../shared/api/payments.ts";
import { remainingMs } from "../../../shared/rules/subscription.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { type Devolucao, type Pix, PixError } from "../../pix/pix.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { mailUser } from "../subscriptions/mail-user.ts";
import { lockSubscription, updateSubscription } from "../subscriptions/subscriptions.repo.ts";
import { lockUser } from "../users/users.repo.ts";
import { refundedMail } from "./payment-mails.ts";
import { shiftPeriods } from "./payment-periods.repo.ts";
import { notRefundable, paymentNotFound, pixNotConfigured, refundRejected } from "./payments.errors.ts";
import { findPayment, findPaymentWithUser, lockPayment, updatePayment } from "./payments.repo.ts";
import type { PaymentRow } from "./payments.table.ts";
import { isRefundable, presentAdminPayment } from "./present-payment.ts";

type RefundDeps = Pick<Deps, "db" | "clock" | "pix" | "jobs" | "mailSeal" | "config" | "log">;

/**
 * Gives a payment back and ends the period it bought. The intent is written first and carried out outside of any
 * transaction: a refund that the PSP is slow with, or that a crash cut, goes on by the reconciliation under the same
 * id. Twice changes nothing.
 * @throws {AppError} `payment.not_found`, `payment.not_refundable`, `payment.refund_rejected`, `pix.not_configured`
 *   (paid at a PSP, and none is set up any more)
 */
export async function refundPayment(
  deps: RefundDeps,
  admin: Session,
  id: string,
  origin: RequestOrigin,
): Promise<AdminPayment> {
  const { db, clock } = deps;
  await db.transaction(async (tx) => {
    const payment = await lockPayment(tx, id);
    if (!payment) throw new AppError(paymentNotFound);
    if (payment.status === "refunded" || payment.devolucaoStatus === "EM_PROCESSAMENTO") return;
    if (!isRefundable(payment)) throw new AppError(notRefundable);
    if (payment.provider !== "local" && deps.pix?.provider !== payment.provider)
      throw new AppError(pixNotConfigured);
    const devolucaoId = crypto.randomUUID().replaceAll("-", "");
    await updatePayment(tx, id, { devolucaoId, devolucaoStatus: "EM_PROCESSAMENTO" });
    await recordAudit(tx, {
      at: clock.now(),
      action: "payment.refund_asked",
      actorId: admin.userId,
      accountId: payment.userId,
      details: { paymentId: id, amountCents: payment.amountCents },
      ...origin,
    });
  });
  const outcome = await carryOutRefund(deps, id);
  if (outcome === "NAO_REALIZADO") throw new AppError(refundRejected);
  const refunded = await findPaymentWithUser(db, id);
  if (!refunded) throw new AppError(paymentNotFound);
  return presentAdminPayment(refunded, clock.now());
}

/** Brings a refund that was asked for as far as the PSP does; a PSP that can't be reached leaves it under way. */
export async function carryOutRefund(
  deps: RefundDeps,
  paymentId: string,
  signal?: AbortSignal,
): Promise<Devolucao["status"] | undefined> {
  const payment = await findPayment(deps.db, paymentId);
  if (!payment || payment.status === "refunded" || payment.devolucaoStatus !== "EM_PROCESSAMENTO")
    return payment?.devolucaoStatus ?? undefined;
  const status = await askForRefund(deps, payment, signal);
  if (status === "EM_PROCESSAMENTO") return status;
  await deps.db.transaction(async (tx) => {
    if (status === "DEVOLVIDO") return await settleRefund(deps, tx, paymentId);
    const locked = await lockPayment(tx, paymentId);
    if (locked?.devolucaoId !== payment.devolucaoId || locked?.status === "refunded") return;
    await updatePayment(tx, paymentId, { devolucaoStatus: status });
  });
  return status;
}

async function askForRefund(
  { pix, log }: Pick<Deps, "pix" | "log">,
  payment: PaymentRow,
  signal?: AbortSignal,
): Promise<Devolucao["status"]> {
  const { id, provider, devolucaoId, endToEndId } = payment;
  // Paid on the merchant's own key: given back by hand, at the bank.
  if (provider === "local") return "DEVOLVIDO";
  if (devolucaoId === null || endToEndId === null) return "NAO_REALIZADO";
  // Only the PSP that has the money can say what became of it.
  if (pix?.provider !== provider) return "EM_PROCESSAMENTO";
  try {
    const known = await pix.readRefund({ endToEndId, id: devolucaoId }, signal);
    if (known) return known.status;
    const amountCents = await receivedCents(pix, payment, signal);
    return (await pix.refund({ endToEndId, id: devolucaoId, amountCents }, signal)).status;
  } catch (error) {
    if (!(error instanceof PixError)) throw error;
    log.warn("pix.refund_failed", { paymentId: id, kind: error.kind, detail: error.message });
    return error.kind === "rejected" ? "NAO_REALIZADO" : "EM_PROCESSAMENTO";
  }
}

/** What came in: of a payment that failed for it, another amount than was asked for. */
async function receivedCents(
  pix: Pix,
  { status, txid, endToEndId, amountCents }: PaymentRow,
  signal?: AbortSignal,
): Promise<number> {
  if (status !== "failed") return amountCents;
  const cob = await pix.readCob(txid, signal);
  return cob?.pix.find((pix) => pix.endToEndId === endToEndId)?.amountCents ?? amountCents;
}

/** The money is back: what is left of the period goes, and what was paid for after it moves up. */
async function settleRefund(deps: RefundDeps, tx: Tx, paymentId: string): Promise<void> {
  const known = await findPayment(tx, paymentId);
  if (!known) return;
  const { userId } = known;
  const user = await lockUser(tx, userId);
  const subscription = await lockSubscription(tx, userId);
  const payment = await lockPayment(tx, paymentId);
  if (!payment || payment.status === "refunded") return;
  const now = deps.clock.now();
  await updatePayment(tx, paymentId, { status: "refunded", refundedAt: now, devolucaoStatus: "DEVOLVIDO" });
  const { periodStart, periodEnd } = payment;
  const lostMs = periodStart && periodEnd ? remainingMs({ start: periodStart, end: periodEnd }, now) : 0;
  if (periodStart && periodEnd && lostMs > 0) {
    await updatePayment(tx, paymentId, { periodEnd: new Date(periodEnd.getTime() - lostMs) });
    await shiftPeriods(tx, userId, { periodStart: periodEnd, paymentId }, lostMs);
    if (subscription?.expiresAt && subscription.planId === payment.planId)
      await updateSubscription(tx, userId, {
        expiresAt: new Date(subscription.expiresAt.getTime() - lostMs),
      });
  }
  await recordAudit(tx, {
    at: now,
    action: "payment.refunded",
    actorId: null,
    accountId: userId,
    details: { paymentId, amountCents: payment.amountCents },
  });
  if (!user) return;
  await mailUser(deps, tx, user, refundedMail({ payment, locale: user.locale }));
}
