import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import {
  type DevolucaoStatus,
  type Natureza,
  naturezas,
  type PaymentStatus,
} from "../../../shared/api/payments.ts";

const statusNames: Record<PaymentStatus, MessageDescriptor> = {
  pending: msg({ id: "payment.status.pending", message: "Pending" }),
  paid: msg({ id: "payment.status.paid", message: "Paid" }),
  expired: msg({ id: "payment.status.expired", message: "Expired" }),
  failed: msg({ id: "payment.status.failed", message: "Failed" }),
  refunded: msg({ id: "payment.status.refunded", message: "Refunded" }),
};

const naturezaNames: Record<Natureza, MessageDescriptor> = {
  ORIGINAL: msg({ id: "payment.natureza.original", message: "Returned by the recipient" }),
  RETIRADA: msg({ id: "payment.natureza.retirada", message: "Returned cash" }),
  MED_OPERACIONAL: msg({ id: "payment.natureza.operational", message: "Bank error (MED)" }),
  MED_FRAUDE: msg({ id: "payment.natureza.fraud", message: "Contested as fraud (MED)" }),
  MED_PIX_AUTOMATICO: msg({ id: "payment.natureza.automatic", message: "Automatic Pix refunded (MED)" }),
};

/** Why money was returned; an unknown reason from a later version of API Pix is shown as it is. */
export function naturezaName(i18n: I18n, natureza: string): string {
  const known = naturezas.find((name) => name === natureza);
  return known ? i18n._(naturezaNames[known]) : natureza;
}

const devolucaoStatusNames: Record<DevolucaoStatus, MessageDescriptor> = {
  EM_PROCESSAMENTO: msg({ id: "payment.devolucao.running", message: "Under way" }),
  DEVOLVIDO: msg({ id: "payment.devolucao.done", message: "Returned" }),
  NAO_REALIZADO: msg({ id: "payment.devolucao.failed", message: "Not carried out" }),
};

export function devolucaoStatusName(i18n: I18n, status: DevolucaoStatus): string {
  return i18n._(devolucaoStatusNames[status]);
}

export function statusName(i18n: I18n, status: PaymentStatus): string {
  return i18n._(statusNames[status]);
}

/** Integer cents of BRL, formatted for the reader's language. */
export function moneyText(i18n: I18n, amountCents: number): string {
  return i18n.number(amountCents / 100, { style: "currency", currency: "BRL" });
}
