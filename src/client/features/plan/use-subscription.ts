import { useQuery } from "@tanstack/react-query";
import { SUBSCRIPTIONS } from "../../calls/query-keys.ts";
import { readAgainAfterFailure } from "../../calls/read-again.ts";
import { subscriptionsApi } from "./subscriptions-api.ts";

interface QueryOptions {
  enabled: boolean;
}

/** The person's usage of their plan; null if they have none. Every view that shows it reads it again. */
export function useUsageStats({ enabled }: QueryOptions) {
  return useQuery({
    queryKey: [SUBSCRIPTIONS, "usage-stats"],
    queryFn: ({ signal }) => subscriptionsApi.usageStats(signal),
    enabled,
    staleTime: 0,
    refetchInterval: readAgainAfterFailure,
  });
}

/** The plans on offer, the smallest first. */
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
