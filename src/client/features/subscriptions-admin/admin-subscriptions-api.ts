import {
  type AdminPayment,
  confirmPaymentCall,
  listPaymentsCall,
  type PaymentStatus,
  refundPaymentCall,
  type SettledPayment,
} from "../../../shared/api/payments.ts";
import {
  type AccountSubscription,
  type AdminPlan,
  changePlanCall,
  choosePlanCall,
  listRemovalsCall,
  listSubscriptionsCall,
  type PlanChange,
  type Removal,
  type Subscription,
  type SubscriptionListQuery,
  type SubscriptionSummary,
  subscriptionSummaryCall,
  type UndoneRemoval,
  undoRemovalCall,
} from "../../../shared/api/subscriptions.ts";
import { callJson, callPage, type Page } from "../../calls/api.ts";

export const PAYMENTS_PER_PAGE = 20;

/** Calls about everybody's subscriptions and payments; admins only. */
export const adminSubscriptionsApi = {
  summary: (signal?: AbortSignal): Promise<SubscriptionSummary> =>
    callJson(subscriptionSummaryCall, { signal }),
  all: (query: SubscriptionListQuery, signal?: AbortSignal): Promise<Page<AccountSubscription>> =>
    callPage(listSubscriptionsCall, { query, signal }),
  removals: (signal?: AbortSignal): Promise<Removal[]> => callJson(listRemovalsCall, { signal }),
  undo: (id: string): Promise<UndoneRemoval> => callJson(undoRemovalCall, { params: { id } }),
  changePlan: (id: string, body: PlanChange): Promise<AdminPlan> =>
    callJson(changePlanCall, { params: { id }, body }),
  choosePlan: (planId: string): Promise<Subscription> => callJson(choosePlanCall, { body: { planId } }),
  payments(status: PaymentStatus | "all", page: number, signal?: AbortSignal): Promise<Page<AdminPayment>> {
    const query = {
      ...(status !== "all" && { status }),
      limit: PAYMENTS_PER_PAGE,
      offset: page * PAYMENTS_PER_PAGE,
    };
    return callPage(listPaymentsCall, { query, signal });
  },
  confirm: (id: string): Promise<SettledPayment> => callJson(confirmPaymentCall, { params: { id } }),
  refund: (id: string): Promise<SettledPayment> => callJson(refundPaymentCall, { params: { id } }),
};
