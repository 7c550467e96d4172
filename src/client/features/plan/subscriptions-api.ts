import {
  cancelSubscriptionCall,
  listPlansCall,
  type OfferedPlan,
  type Subscription,
  type UsageItem,
  type UsageStats,
  usageHistoryCall,
  usageStatsCall,
} from "../../../shared/api/subscriptions.ts";
import { callJson, nullIfMissing } from "../../calls/api.ts";

const HISTORY_LIMIT = 50;

/** Calls about the person's own subscription. */
export const subscriptionsApi = {
  plans: (signal?: AbortSignal): Promise<OfferedPlan[]> => callJson(listPlansCall, { signal }),
  /** Null if there is no subscription. */
  usageStats: (signal?: AbortSignal): Promise<UsageStats | null> =>
    nullIfMissing(callJson(usageStatsCall, { signal })),
  /** The last 50 activities, newest first. */
  usageHistory: (signal?: AbortSignal): Promise<UsageItem[]> =>
    callJson(usageHistoryCall, { query: { limit: HISTORY_LIMIT }, signal }),
  cancel: (): Promise<Subscription> => callJson(cancelSubscriptionCall, {}),
};
