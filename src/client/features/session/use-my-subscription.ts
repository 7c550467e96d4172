import { useQuery } from "@tanstack/react-query";
import { mySubscriptionCall, type Subscription } from "../../../shared/api/subscriptions.ts";
import { callJson, nullIfMissing } from "../../calls/api.ts";
import { SUBSCRIPTIONS } from "../../calls/query-keys.ts";
import { readAgainAfterOutage } from "../../calls/read-again.ts";

const RETRY_MS = 60_000;

export function readMySubscription(signal: AbortSignal): Promise<Subscription | null> {
  return nullIfMissing(callJson(mySubscriptionCall, { signal }));
}

/** The person's subscription; null where there is none. A failure closes the menus, so it is retried every minute, and sooner after an outage. */
export function useMySubscription({ enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: [SUBSCRIPTIONS, "my-subscription"],
    queryFn: ({ signal }) => readMySubscription(signal),
    enabled,
    retry: 1,
    refetchInterval: (read) =>
      readAgainAfterOutage(read) || (read.state.status === "error" ? RETRY_MS : false),
  });
}
