import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import type { PaymentStatus } from "../../../shared/api/payments.ts";
import type { SubscriptionListQuery } from "../../../shared/api/subscriptions.ts";
import { adminSubscriptionsApi } from "./admin-subscriptions-api.ts";

const queryKey = ["subscriptions", "admin"];
const REFRESH_MS = 30_000;

/** Totals, revenue and plans, read again every half minute because payments arrive at any time. */
export function useSummary() {
  return useQuery({
    queryKey: [...queryKey, "summary"],
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => adminSubscriptionsApi.summary(signal),
  });
}

/** A page of the accounts; the previous page stays visible while the next one loads. */
export function useAccountSubscriptions(query: SubscriptionListQuery) {
  return useQuery({
    queryKey: [...queryKey, "all", query],
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => adminSubscriptionsApi.all(query, signal),
  });
}

export function useRemovals() {
  return useQuery({
    queryKey: [...queryKey, "removals"],
    staleTime: 0,
    queryFn: ({ signal }) => adminSubscriptionsApi.removals(signal),
  });
}

/** A page of the payments; the previous page stays visible while the next one loads. */
export function usePayments(status: PaymentStatus | "all", page: number) {
  return useQuery({
    queryKey: [...queryKey, "payments", status, page],
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => adminSubscriptionsApi.payments(status, page, signal),
  });
}

/** Reads all data of this view again. */
export function useRefresh(): () => Promise<void> {
  const queryClient: QueryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey });
}
