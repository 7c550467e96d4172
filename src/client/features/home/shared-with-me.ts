import { queryOptions, useQuery } from "@tanstack/react-query";
import * as z from "zod/mini";
import {
  type SharedWithMe,
  sharedStudySchema,
  sharedWithMeCall,
} from "../../../shared/api/shared-studies.ts";
import { callJson } from "../../calls/api.ts";
import { mayRetry } from "../../calls/query-client.ts";
import { STUDIES } from "../../calls/query-keys.ts";
import { readAgainAfterFailure } from "../../calls/read-again.ts";
import { listedStudySchema } from "../studies/studies-api.ts";

const anySharedStudies = z.array(z.extend(sharedStudySchema, { study: listedStudySchema }));
const anySharedWithMeCall = {
  ...sharedWithMeCall,
  answer: z.extend(sharedWithMeCall.answer, {
    fresh: anySharedStudies,
    seen: anySharedStudies,
    awaiting: anySharedStudies,
  }),
};

/** What was read just before the home was drawn is not read again. */
const FRESH_MS = 1_000;

/** How it is read what others share with the person. */
export const sharedWithMeQuery = queryOptions({
  queryKey: [STUDIES, "shared-with-me"],
  queryFn: ({ signal }): Promise<SharedWithMe> => callJson(anySharedWithMeCall, { signal }),
  staleTime: FRESH_MS,
  retry: mayRetry,
});

/** What others share with the person. */
export function useSharedWithMe({ enabled }: { enabled: boolean }) {
  return useQuery({ ...sharedWithMeQuery, enabled, refetchInterval: readAgainAfterFailure });
}
