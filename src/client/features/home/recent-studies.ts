import { queryOptions, useQuery } from "@tanstack/react-query";
import { mayRetry } from "../../calls/query-client.ts";
import { STUDIES } from "../../calls/query-keys.ts";
import { readAgainAfterFailure } from "../../calls/read-again.ts";
import { pollWhileMoving } from "../studies/poll-while-moving.ts";
import { studiesApi } from "../studies/studies-api.ts";

const SHOWN = 4;
const NEWEST = { limit: SHOWN, sort: "createdAt", order: "desc", whose: "own" } as const;

/** How the person's own exams that came last are read. */
export const recentStudiesQuery = queryOptions({
  queryKey: [STUDIES, "recent"],
  queryFn: ({ signal }) => studiesApi.list(NEWEST, signal),
  retry: mayRetry,
});

/** The person's own exams that came last. */
export function useRecentStudies({ enabled }: { enabled: boolean }) {
  return useQuery({
    ...recentStudiesQuery,
    enabled,
    refetchInterval: (read) => readAgainAfterFailure(read) || pollWhileMoving(read),
  });
}
