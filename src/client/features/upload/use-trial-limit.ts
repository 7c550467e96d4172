import { useQuery } from "@tanstack/react-query";
import { api } from "../../calls/api.ts";
import { EXAM_COUNT } from "../../calls/query-keys.ts";
import { useHis } from "../session/his-context.ts";
import { useMySubscription } from "../session/use-my-subscription.ts";

const CACHED_MS = 30_000;

/** The number of exams of a trial user who has reached the limit of their plan; undefined for everyone who may upload. */
export function useTrialLimit(): number | undefined {
  const { user } = useHis();
  const { data } = useQuery({
    queryKey: [EXAM_COUNT],
    queryFn: ({ signal }) => api.examCount(signal),
    enabled: user.isTrial,
    staleTime: CACHED_MS,
  });
  const { data: subscription } = useMySubscription({ enabled: user.isTrial });
  const count = data?.count ?? 0;
  return user.isTrial && subscription && count >= subscription.plan.examLimit ? count : undefined;
}
