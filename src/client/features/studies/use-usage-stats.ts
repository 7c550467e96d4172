import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../../api.ts";
import { SUBSCRIPTIONS } from "./refresh-exams.ts";
import { studiesApi } from "./studies-api.ts";

/** What the person has used of his plan; null where there is none. Asked anew by every view that shows it. */
export function useUsageStats({ enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: [SUBSCRIPTIONS, "usage-stats"],
    queryFn: ({ signal }) => orNull(studiesApi.usageStats(signal)),
    enabled,
    staleTime: 0,
  });
}

/** The person's subscription; null where there is none. */
export function useMySubscription({ enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: [SUBSCRIPTIONS, "my-subscription"],
    queryFn: ({ signal }) => orNull(studiesApi.mySubscription(signal)),
    enabled,
    retry: 1,
  });
}

async function orNull<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
