import type { AdminPayment, Payment, PaymentStatus } from "../../../shared/api/payments.ts";
import { drawQrCode } from "../../render/qr-code.ts";
import { sumReturnedCents } from "./merge-devolucoes.ts";
import type { PaymentWithUser } from "./payments.repo.ts";
import type { DevolucaoRow, PaymentRow } from "./payments.table.ts";

/** The status at `now`: a pending payment past its time is expired. */
function paymentStatusAt({ status, expiresAt }: PaymentRow, now: Date): PaymentStatus {
  return status === "pending" && expiresAt <= now ? "expired" : status;
}

export function presentPayment(row: PaymentRow, now: Date, devolucoes: DevolucaoRow[] = []): Payment {
  const status = paymentStatusAt(row, now);
  const brCode = status === "pending" ? row.brCode : null;
  return {
    id: row.id,
    status,
    amount: row.amountCents,
    planId: row.planId,
    planName: row.planName,
    periodDays: row.periodDays,
    pixQrcode: brCode && qrCodeUrl(brCode),
    pixCopyPaste: brCode,
    expiresAt: row.expiresAt.toISOString(),
    paymentDate: row.paidAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    periodStart: row.periodStart?.toISOString() ?? null,
    periodEnd: row.periodEnd?.toISOString() ?? null,
    refundedAt: row.refundedAt?.toISOString() ?? null,
    amountReturned: centsReturned(row, devolucoes),
    devolucoes: devolucoes.map((devolucao) => ({
      id: devolucao.id,
      amount: devolucao.amountCents,
      natureza: devolucao.natureza,
      status: devolucao.status,
      requestedAt: devolucao.requestedAt?.toISOString() ?? null,
      settledAt: devolucao.settledAt?.toISOString() ?? null,
    })),
  };
}

/** In cents. A refund on the merchant's own key is made at the bank, in full, and has no devolução. */
function centsReturned({ status, amountCents }: PaymentRow, devolucoes: DevolucaoRow[]): number {
  return status === "refunded" && devolucoes.length === 0 ? amountCents : sumReturnedCents(devolucoes);
}

/** A payment for the admin's view, without its code, which only its user may pay. */
export function presentAdminPayment(
  { payment, user }: PaymentWithUser,
  now: Date,
  devolucoes: DevolucaoRow[],
): AdminPayment {
  return {
    ...presentPayment({ ...payment, brCode: null }, now, devolucoes),
    txid: payment.txid,
    provider: payment.provider,
    user,
    canConfirm: payment.provider === "local" && payment.status === "pending",
    canRefund: isRefundable(payment) && payment.devolucaoStatus !== "EM_PROCESSAMENTO",
    refundStatus: payment.devolucaoStatus,
    failure: payment.failure,
  };
}

/** Whether money arrived: the price, or another amount. */
export function isRefundable({ status, endToEndId }: PaymentRow): boolean {
  return status === "paid" || (status === "failed" && endToEndId !== null);
}

/** Drawn QR codes, some 26 kB each. Drawing takes some milliseconds, and an open dialog asks every five seconds. */
const drawn = new Map<string, string>();
const MAX_DRAWN = 200;

function qrCodeUrl(brCode: string): string {
  const known = drawn.get(brCode);
  if (known !== undefined) return known;
  const url = drawQrCode(brCode);
  const [oldest] = drawn.keys();
  if (oldest !== undefined && drawn.size >= MAX_DRAWN) drawn.delete(oldest);
  drawn.set(brCode, url);
  return url;
}
