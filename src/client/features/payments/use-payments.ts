import { useLingui } from "@lingui/react/macro";
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useStore } from "jotai";
import { ApiError } from "../../calls/api.ts";
import { refreshSubscription } from "../../calls/query-keys.ts";
import { showToast } from "../../ui/toast.tsx";
import { placeAtom } from "../places/views.ts";
import { paymentsApi } from "./payments-api.ts";
import { shownPaymentAtom } from "./shown-payment.ts";

const POLL_MS = 5_000;
const PAYMENTS = "payments";
const HISTORY = [PAYMENTS, "history"];

const paymentKey = (id: string | undefined) => [PAYMENTS, "one", id];

/**
 * A payment, read again every 5 s while it is pending or unknown, after it was paid while `isConfirmed`, and after it expired while
 * `isShown`: the money may have been on its way. When the person returns from the bank's app, it is read again at once.
 */
export function usePayment(
  id: string | undefined,
  { isConfirmed, isShown = false }: { isConfirmed: boolean; isShown?: boolean },
) {
  return useQuery({
    queryKey: paymentKey(id),
    queryFn: ({ signal }) => paymentsApi.read(id ?? "", signal),
    enabled: id !== undefined,
    staleTime: 0,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data, error } }) => {
      if (!data) return isNotFound(error) ? false : POLL_MS;
      const { status } = data;
      const mayChange =
        status === "pending" || (status === "paid" && isConfirmed) || (status === "expired" && isShown);
      return mayChange ? POLL_MS : false;
    },
  });
}

export function isNotFound(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}

export function usePaymentHistory() {
  return useQuery({
    queryKey: HISTORY,
    queryFn: ({ signal }) => paymentsApi.history(signal),
    staleTime: 0,
  });
}

/**
 * Requests the Pix of a plan and opens it, unless the person has left by Back meanwhile: then it waits where pending ones are shown. A
 * payment may exist even if the call failed.
 */
export function useCreatePayment() {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const store = useStore();
  return useMutation({
    mutationFn: paymentsApi.create,
    onMutate: () => store.get(placeAtom),
    onSuccess: (payment, _planId, askedAt) => {
      queryClient.setQueryData(paymentKey(payment.id), payment);
      if (store.get(placeAtom) === askedAt) return store.set(shownPaymentAtom, payment.id);
      showToast({
        tone: "info",
        title: t({ id: "subscription.pending", message: "Payment pending" }),
        text: t({
          id: "subscription.pending.text",
          message: "A Pix is waiting to be paid. The plan starts as soon as the payment comes in.",
        }),
      });
    },
    onSettled: () => refreshAfterPayment(queryClient),
  });
}

/** Reads again everything that a paid or expired payment changed. */
export function refreshAfterPayment(queryClient: QueryClient): void {
  void refreshSubscription(queryClient);
  void queryClient.invalidateQueries({ queryKey: HISTORY });
}
