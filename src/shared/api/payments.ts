import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { pageLimit, pageLimitSchema, pageOffset } from "./page-limit.ts";

export const paymentStatuses = ["pending", "paid", "expired", "failed", "refunded"] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** Why money was returned (API Pix `DevolucaoNatureza`); a PSP may send others. `MED_…`: contested at the payer's bank. */
export const naturezas = [
  "ORIGINAL",
  "RETIRADA",
  "MED_OPERACIONAL",
  "MED_FRAUDE",
  "MED_PIX_AUTOMATICO",
] as const;
export type Natureza = (typeof naturezas)[number];

export const devolucaoStatuses = ["EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO"] as const;
export type DevolucaoStatus = (typeof devolucaoStatuses)[number];

/** A devolução: a part of a payment, or all of it, that was returned. `amount` in integer cents of BRL. */
export const devolucaoSchema = z.object({
  id: z.string(),
  amount: z.number(),
  natureza: z.string(),
  status: z.enum(devolucaoStatuses),
  requestedAt: z.nullable(z.string()),
  settledAt: z.nullable(z.string()),
});
export type Devolucao = z.infer<typeof devolucaoSchema>;

/**
 * `amount` is in integer cents of BRL; `pixQrcode` is a `data:image/…` URL. Both codes are null until the
 * PSP has answered, and again once the payment is no longer open.
 */
export const paymentSchema = z.object({
  id: z.string(),
  status: z.enum(paymentStatuses),
  amount: z.number(),
  planId: z.string(),
  planName: z.string(),
  /** How long the plan then runs, in days. */
  periodDays: z.number(),
  pixQrcode: z.nullable(z.string()),
  pixCopyPaste: z.nullable(z.string()),
  expiresAt: z.string(),
  paymentDate: z.nullable(z.string()),
  createdAt: z.string(),
  /** The plan it paid for. */
  periodStart: z.nullable(z.string()),
  periodEnd: z.nullable(z.string()),
  refundedAt: z.nullable(z.string()),
  /** The sum returned of `amount` so far, whoever asked for it. */
  amountReturned: z.number(),
  /** Devoluções at a PSP, finished or under way; oldest first. */
  devolucoes: z.array(devolucaoSchema),
});
export type Payment = z.infer<typeof paymentSchema>;

export const newPaymentSchema = z.object({ planId: z.uuid() });

/** A payment as an admin sees it: without its codes. */
export const adminPaymentSchema = z.extend(paymentSchema, {
  txid: z.string(),
  provider: z.enum(["local", "bacen"]),
  /** Null if the account was deleted. */
  user: z.nullable(z.object({ id: z.string(), name: z.string(), email: z.string() })),
  /** What the admin may do with it. */
  canConfirm: z.boolean(),
  canRefund: z.boolean(),
  /** A refund that the PSP has not finished or has refused. */
  refundStatus: z.nullable(z.enum(devolucaoStatuses)),
  failure: z.nullable(z.string()),
});
export type AdminPayment = z.infer<typeof adminPaymentSchema>;

/** A payment after an admin's confirmation or refund. */
export const settledPaymentSchema = z.extend(adminPaymentSchema, {
  /** Whether that had been asked before, perhaps by another admin, so that this call changed nothing. */
  wasSettledBefore: z.optional(z.boolean()),
});
export type SettledPayment = z.infer<typeof settledPaymentSchema>;

/** Only payments with this `status`; newest first. */
export const paymentListQuerySchema = z.object({
  status: z.optional(z.enum(paymentStatuses)),
  limit: pageLimit,
  offset: pageOffset,
});
export type PaymentListQuery = z.infer<typeof paymentListQuerySchema>;

/** The Pix for a plan. While one is pending, the same one is returned. */
export const createPaymentCall = {
  method: "POST",
  path: "/api/payments/create",
  body: newPaymentSchema,
  answer: paymentSchema,
} as const satisfies Call;

export const readPaymentCall = {
  method: "GET",
  path: "/api/payments/:id",
  answer: paymentSchema,
} as const satisfies Call;

export const paymentHistoryCall = {
  method: "GET",
  path: "/api/payments/user/history",
  query: pageLimitSchema,
  answer: z.array(paymentSchema),
} as const satisfies Call;

export const listPaymentsCall = {
  method: "GET",
  path: "/api/payments",
  query: paymentListQuerySchema,
  answer: z.array(adminPaymentSchema),
} as const satisfies Call;

export const confirmPaymentCall = {
  method: "POST",
  path: "/api/payments/:id/confirm",
  answer: settledPaymentSchema,
} as const satisfies Call;

export const refundPaymentCall = {
  method: "POST",
  path: "/api/payments/:id/refund",
  answer: settledPaymentSchema,
} as const satisfies Call;
