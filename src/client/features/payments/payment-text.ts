import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { PaymentStatus } from "../../../shared/api/payments.ts";

const statusNames: Record<PaymentStatus, MessageDescriptor> = {
  pending: msg({ id: "payment.status.pending", message: "Pending" }),
  paid: msg({ id: "payment.status.paid", message: "Paid" }),
  expired: msg({ id: "payment.status.expired", message: "Expired" }),
  failed: msg({ id: "payment.status.failed", message: "Failed" }),
  refunded: msg({ id: "payment.status.refunded", message: "Refunded" }),
};

export function statusName(i18n: I18n, status: PaymentStatus): string {
  return i18n._(statusNames[status]);
}

/** Integer cents of BRL as the reader's language writes them. */
export function moneyText(i18n: I18n, cents: number): string {
  return i18n.number(cents / 100, { style: "currency", currency: "BRL" });
}
