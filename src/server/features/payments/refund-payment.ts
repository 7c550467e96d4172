import type { SettledPayment } from "../../../shared/api/payments.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { type Devolucao, type Pix, PixError } from "../../pix/pix.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { listDevolucoes, saveDevolucoes } from "./devolucoes.repo.ts";
import { leavingCents, mergeDevolucoes } from "./merge-devolucoes.ts";
import { notRefundable, paymentNotFound, pixNotConfigured, refundRejected } from "./payments.errors.ts";
import { findPayment, findPaymentWithUser, lockPayment, updatePayment } from "./payments.repo.ts";
import type { PaymentRow } from "./payments.table.ts";
import { isRefundable, presentAdminPayment } from "./present-payment.ts";
import { settleRefund } from "./settlement/settle-refund.ts";

type RefundDeps = Pick<Deps, "db" | "clock" | "pix" | "jobs" | "mailSeal" | "config" | "log">;

/**
 * Refunds a payment and ends the period it bought. The intent is committed first and carried out outside of any transaction:
 * the reconciliation resumes a refund that is slow at the PSP or was cut by a crash, under the same id. Idempotent.
 * @throws {AppError} `payment.not_found`, `payment.not_refundable`, `payment.refund_rejected`; `pix.not_configured` if it was
 *   paid at a PSP and none is configured any more
 */
export async function refundPayment(
  deps: RefundDeps,
  admin: Session,
  id: string,
  origin: RequestOrigin,
): Promise<SettledPayment> {
  const { db, clock } = deps;
  const isAsked = await db.transaction(async (tx) => {
    const payment = await lockPayment(tx, id);
    if (!payment) throw new AppError(paymentNotFound);
    if (payment.status === "refunded" || payment.devolucaoStatus === "EM_PROCESSAMENTO") return false;
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
    return true;
  });
  const outcome = await carryOutRefund(deps, id);
  if (outcome === "NAO_REALIZADO") throw new AppError(refundRejected);
  const refunded = await findPaymentWithUser(db, id);
  if (!refunded) throw new AppError(paymentNotFound);
  const devolucoes = await listDevolucoes(db, id);
  return { ...presentAdminPayment(refunded, clock.now(), devolucoes), wasSettledBefore: !isAsked };
}

/** Carries a requested refund out as far as the PSP does. It stays pending if the PSP is unreachable. */
export async function carryOutRefund(
  deps: RefundDeps,
  paymentId: string,
  signal?: AbortSignal,
): Promise<Devolucao["status"] | undefined> {
  const payment = await findPayment(deps.db, paymentId);
  if (!payment || payment.status === "refunded" || payment.devolucaoStatus !== "EM_PROCESSAMENTO")
    return payment?.devolucaoStatus ?? undefined;
  const { status, amountCents } = await askForRefund(deps, payment, signal);
  if (status === "EM_PROCESSAMENTO") return status;
  await deps.db.transaction(async (tx) => {
    if (status === "DEVOLVIDO") {
      if (await settleRefund(deps, tx, paymentId, "admin"))
        await keepDevolucao(deps, tx, payment, amountCents);
      return;
    }
    const locked = await lockPayment(tx, paymentId);
    if (locked?.devolucaoId !== payment.devolucaoId || locked?.status === "refunded") return;
    await updatePayment(tx, paymentId, { devolucaoStatus: status });
  });
  return status;
}

type Outcome = Pick<Devolucao, "status" | "amountCents">;

async function askForRefund(
  { pix, log }: Pick<Deps, "pix" | "log">,
  payment: PaymentRow,
  signal?: AbortSignal,
): Promise<Outcome> {
  const { id, provider, devolucaoId, endToEndId, amountCents } = payment;
  // Paid to the merchant's own key, so the admin returns it by hand at the bank.
  if (provider === "local") return { status: "DEVOLVIDO", amountCents };
  if (devolucaoId === null || endToEndId === null) return { status: "NAO_REALIZADO", amountCents };
  // Only the PSP that received the money knows its state.
  if (pix?.provider !== provider) return { status: "EM_PROCESSAMENTO", amountCents };
  try {
    const known = await pix.readRefund({ endToEndId, id: devolucaoId }, signal);
    if (known) return known;
    const left = await refundableCents(pix, payment, signal);
    // The rest is being returned already; the reconciliation sees the result.
    if (left <= 0) return { status: "EM_PROCESSAMENTO", amountCents };
    return await pix.refund({ endToEndId, id: devolucaoId, amountCents: left }, signal);
  } catch (error) {
    if (!(error instanceof PixError)) throw error;
    log.warn("pix.refund_failed", { paymentId: id, kind: error.kind, detail: error.message });
    return { status: error.kind === "rejected" ? "NAO_REALIZADO" : "EM_PROCESSAMENTO", amountCents };
  }
}

/** Stores the devolução of an admin's refund, so that the payment's details show it like any other. */
async function keepDevolucao(
  { clock }: Pick<Deps, "clock">,
  tx: Tx,
  { id, endToEndId, devolucaoId, provider }: PaymentRow,
  amountCents: number,
): Promise<void> {
  if (provider === "local" || endToEndId === null || devolucaoId === null) return;
  const now = clock.now();
  const own = {
    id: devolucaoId,
    rtrId: undefined,
    natureza: "ORIGINAL",
    status: "DEVOLVIDO",
    amountCents,
  } as const;
  const pix = { endToEndId, amountCents, paidAt: now };
  const seen = [{ ...pix, devolucoes: [{ ...own, requestedAt: undefined, settledAt: undefined }] }];
  await saveDevolucoes(tx, id, mergeDevolucoes(await listDevolucoes(tx, id), seen), now);
}

/**
 * The cents that can still be refunded: the received amount (which may differ from the price if the payment failed for that),
 * less what was returned or is being returned.
 */
async function refundableCents(
  pix: Pix,
  { txid, endToEndId, amountCents, status, devolucaoId }: PaymentRow,
  signal?: AbortSignal,
): Promise<number> {
  const cob = await pix.readCob(txid, signal);
  const received = cob?.pix.find((pix) => pix.endToEndId === endToEndId);
  if (!received) return amountCents;
  const wanted = status === "failed" ? received.amountCents : Math.min(amountCents, received.amountCents);
  const others = received.devolucoes.filter(({ id }) => id !== devolucaoId);
  return wanted - leavingCents(others);
}
