import type { Payment } from "../../../src/shared/api/payments.ts";
import type { OfferedPlan, Subscription, UsageStats } from "../../../src/shared/api/subscriptions.ts";
import { GIB } from "../../../src/shared/units.ts";
import { type Answer, problem } from "./render-view.tsx";

const essencial: OfferedPlan = {
  id: "01900000-0000-7000-8000-00000000a001",
  name: "Essencial",
  price: 1990,
  examLimit: 10,
  downloadDeleteLimit: 10,
  storageBytes: 20 * GIB,
  periodDays: 30,
};
const familia: OfferedPlan = {
  ...essencial,
  id: "01900000-0000-7000-8000-00000000a002",
  name: "Família",
  price: 4990,
  examLimit: 50,
  downloadDeleteLimit: 30,
  storageBytes: 100 * GIB,
};
export const profissional: OfferedPlan = {
  id: "01900000-0000-7000-8000-00000000a003",
  name: "Profissional",
  price: 149000,
  examLimit: 200,
  downloadDeleteLimit: 120,
  storageBytes: 400 * GIB,
  periodDays: 365,
};

/** Helena's, in force from 18 November to 18 December 2026. */
export const subscription: Subscription = {
  id: "s1",
  status: "active",
  plan: familia,
  startDate: "2026-11-18T15:00:00.000Z",
  expiresAt: "2026-12-18T15:00:00.000Z",
  currentExamCount: 37,
  storageUsedBytes: 12.5 * GIB,
  downloadsThisMonth: 16,
  deletesThisMonth: 4,
  canCancel: true,
  cancelledAt: null,
  removedUntil: null,
  keptUntil: null,
  openPaymentId: null,
};

export const usage: UsageStats = {
  planName: "Família",
  currentExamCount: 37,
  examLimit: 50,
  examsRemaining: 13,
  examUsagePercentage: 74,
  totalActionsThisMonth: 20,
  actionLimit: 30,
  actionsRemaining: 10,
  actionUsagePercentage: 66,
  downloadsThisMonth: 16,
  deletesThisMonth: 4,
  lastResetDate: "2026-11-18T15:00:00.000Z",
  storageBytes: 100 * GIB,
  storageUsedBytes: 12.5 * GIB,
  storageRemainingBytes: 87.5 * GIB,
  storageUsagePercentage: 12,
};

/** Made at noon of 21 November 2026, good for half an hour. */
export const payment: Payment = {
  id: "01900000-0000-7000-8000-00000000b001",
  status: "pending",
  amount: 4990,
  planId: familia.id,
  planName: "Família",
  periodDays: 30,
  pixQrcode: "data:image/svg+xml;base64,PHN2Zy8+",
  pixCopyPaste: "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000",
  expiresAt: "2026-11-21T12:30:00.000Z",
  paymentDate: null,
  createdAt: "2026-11-21T12:00:00.000Z",
  periodStart: null,
  periodEnd: null,
  refundedAt: null,
  amountReturned: 0,
  devolucoes: [],
};

export const paid: Payment = {
  ...payment,
  status: "paid",
  pixQrcode: null,
  pixCopyPaste: null,
  paymentDate: "2026-11-21T12:05:00.000Z",
  periodStart: "2026-12-18T15:00:00.000Z",
  periodEnd: "2027-01-17T15:00:00.000Z",
};

/** Answers to the subscription view's calls; null: the account has no subscription. */
export function subscriptionAnswers(
  mine: Partial<Subscription> | null = {},
  used: Partial<UsageStats> = {},
): Record<string, Answer> {
  const none = () => problem(404, "subscription.not_found", "Você não tem assinatura.");
  return {
    "GET /api/subscriptions/plans": () => Response.json([essencial, familia, profissional]),
    "GET /api/subscriptions/my-subscription": () =>
      mine === null ? none() : Response.json({ ...subscription, ...mine }),
    "GET /api/subscriptions/usage-stats": () =>
      mine === null ? none() : Response.json({ ...usage, ...used }),
  };
}
