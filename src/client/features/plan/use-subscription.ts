import { useQuery } from "@tanstack/react-query";
import { SUBSCRIPTIONS } from "../../query-keys.ts";
import { subscriptionsApi } from "./subscriptions-api.ts";

interface QueryOptions {
  enabled: boolean;
}

/** What the person has used of their plan; null where there is none. Every view that shows it asks anew. */
export function useUsageStats({ enabled }: QueryOptions) {
  return useQuery({
    queryKey: [SUBSCRIPTIONS, "usage-stats"],
    queryFn: ({ signal }) => subscriptionsApi.usageStats(signal),
    enabled,
    staleTime: 0,
  });
}

/** The plans that can be chosen, the smallest first. */
export function usePlans({ enabled }: QueryOptions) {
  return useQuery({
    queryKey: [SUBSCRIPTIONS, "plans"],
    queryFn: ({ signal }) => subscriptionsApi.plans(signal),
    enabled,
    staleTime: 0,
  });
}

export function useUsageHistory() {
  return useQuery({
    queryKey: [SUBSCRIPTIONS, "usage-history"],
    queryFn: ({ signal }) => subscriptionsApi.usageHistory(signal),
    staleTime: 0,
  });
}
