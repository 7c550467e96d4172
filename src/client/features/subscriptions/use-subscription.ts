import { type QueryClient, useQuery } from "@tanstack/react-query";
import { CURRENT_USER } from "../his/use-current-user.ts";
import { SUBSCRIPTIONS } from "../studies/refresh-exams.ts";
import { subscriptionsApi } from "./subscriptions-api.ts";

const ASK_AGAIN_MS = 60_000;

interface Asked {
  enabled: boolean;
}

/** The person's subscription; null where there is none. A failure closes the menus, so it does not stay for long. */
export function useMySubscription({ enabled }: Asked) {
  return useQuery({
    queryKey: [SUBSCRIPTIONS, "my-subscription"],
    queryFn: ({ signal }) => subscriptionsApi.mine(signal),
    enabled,
    retry: 1,
    refetchInterval: ({ state }) => (state.status === "error" ? ASK_AGAIN_MS : false),
  });
}

/** What the person has used of his plan; null where there is none. Asked anew by every view that shows it. */
export function useUsageStats({ enabled }: Asked) {
  return useQuery({
    queryKey: [SUBSCRIPTIONS, "usage-stats"],
    queryFn: ({ signal }) => subscriptionsApi.usageStats(signal),
    enabled,
    staleTime: 0,
  });
}

/** The plans that can be chosen, the smallest first. */
export function usePlans({ enabled }: Asked) {
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

/** Reads again what a payment or a cancellation changed: plan, usage, banner, menus. */
export async function refreshSubscription(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: [SUBSCRIPTIONS] }),
    queryClient.invalidateQueries({ queryKey: CURRENT_USER }),
  ]);
}
