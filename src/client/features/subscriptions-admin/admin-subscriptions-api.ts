import * as z from "zod/mini";
import { type AdminPayment, adminPaymentSchema, type PaymentStatus } from "../../../shared/api/payments.ts";
import {
  type AccountSubscription,
  type AdminPlan,
  accountSubscriptionSchema,
  adminPlanSchema,
  type PlanChange,
  type Removal,
  removalSchema,
  type Subscription,
  type SubscriptionSummary,
  subscriptionSchema,
  subscriptionSummarySchema,
  type UndoneRemoval,
  undoneRemovalSchema,
} from "../../../shared/api/subscriptions.ts";
import { callApi, callJson } from "../../api.ts";

export const PAYMENTS_PER_PAGE = 20;

/** Calls about everybody's subscriptions and payments; admins only. */
export const adminSubscriptionsApi = {
  summary: (signal?: AbortSignal): Promise<SubscriptionSummary> =>
    callJson(subscriptionSummarySchema, "/api/subscriptions/summary", { signal }),
  all: (signal?: AbortSignal): Promise<AccountSubscription[]> =>
    callJson(z.array(accountSubscriptionSchema), "/api/subscriptions/all", { signal }),
  removals: (signal?: AbortSignal): Promise<Removal[]> =>
    callJson(z.array(removalSchema), "/api/subscriptions/removals", { signal }),
  undo: (id: string): Promise<UndoneRemoval> =>
    callJson(undoneRemovalSchema, `/api/subscriptions/removals/${id}/undo`, { method: "POST", body: {} }),
  changePlan: (id: string, body: PlanChange): Promise<AdminPlan> =>
    callJson(adminPlanSchema, `/api/subscriptions/plans/${id}`, { method: "PATCH", body }),
  choosePlan: (planId: string): Promise<Subscription> =>
    callJson(subscriptionSchema, "/api/subscriptions/subscribe", { method: "POST", body: { planId } }),
  async payments(
    status: PaymentStatus | "all",
    page: number,
    signal?: AbortSignal,
  ): Promise<{ payments: AdminPayment[]; total: number }> {
    const query = new URLSearchParams({
      ...(status !== "all" && { status }),
      limit: String(PAYMENTS_PER_PAGE),
      offset: String(page * PAYMENTS_PER_PAGE),
    });
    const answer = await callApi(`/api/payments?${query}`, { signal });
    const payments = z.parse(z.array(adminPaymentSchema), await answer.json());
    return { payments, total: Number(answer.headers.get("x-total-count") ?? payments.length) };
  },
  confirm: (id: string): Promise<AdminPayment> =>
    callJson(adminPaymentSchema, `/api/payments/${id}/confirm`, { method: "POST", body: {} }),
  refund: (id: string): Promise<AdminPayment> =>
    callJson(adminPaymentSchema, `/api/payments/${id}/refund`, { method: "POST", body: {} }),
};
