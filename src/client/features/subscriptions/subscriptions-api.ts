import * as z from "zod/mini";
import {
  type OfferedPlan,
  offeredPlanSchema,
  type Subscription,
  subscriptionSchema,
  type UsageItem,
  type UsageStats,
  usageItemSchema,
  usageStatsSchema,
} from "../../../shared/api/subscriptions.ts";
import { ApiError, callJson } from "../../api.ts";

const HISTORY_LIMIT = 50;

/** Calls about the person's own subscription. */
export const subscriptionsApi = {
  plans: (signal?: AbortSignal): Promise<OfferedPlan[]> =>
    callJson(z.array(offeredPlanSchema), "/api/subscriptions/plans", { signal }),
  /** Null where there is none. */
  mine: (signal?: AbortSignal): Promise<Subscription | null> =>
    orNull(callJson(subscriptionSchema, "/api/subscriptions/my-subscription", { signal })),
  /** Null where there is no subscription. */
  usageStats: (signal?: AbortSignal): Promise<UsageStats | null> =>
    orNull(callJson(usageStatsSchema, "/api/subscriptions/usage-stats", { signal })),
  /** The last 50 activities, newest first. */
  usageHistory: (signal?: AbortSignal): Promise<UsageItem[]> =>
    callJson(z.array(usageItemSchema), `/api/subscriptions/usage-history?limit=${HISTORY_LIMIT}`, { signal }),
  cancel: (): Promise<Subscription> =>
    callJson(subscriptionSchema, "/api/subscriptions/cancel", { method: "POST", body: {} }),
};

async function orNull<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
