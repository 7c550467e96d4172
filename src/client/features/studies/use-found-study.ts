import { useQuery } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { useEffect } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { ApiError } from "../../calls/api.ts";
import { STUDIES } from "../../calls/query-keys.ts";
import { readAgainAfterFailure } from "../../calls/read-again.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import type { Subject } from "../places/views.ts";
import { studiesApi } from "./studies-api.ts";

/**
 * Asks the server after a reload for the study that the history names; closes the view or dialog of a study that no longer
 * exists. Returns why it could not be read: a view shows that, and a dialog opens once it can.
 */
export function useFoundStudy({ missingIdAtom }: Subject<Study>): UnreadStudy | undefined {
  const [missingId, bring] = useAtom(missingIdAtom);
  const query = useQuery({
    queryKey: [STUDIES, "one", missingId],
    queryFn: ({ signal }) => studiesApi.read(missingId ?? "", signal),
    enabled: missingId !== undefined,
    gcTime: 0,
    refetchInterval: readAgainAfterFailure,
  });
  const { data, error, refetch } = query;
  const failure = useFailure(query);
  useEffect(() => {
    if (missingId === undefined) return;
    if (data?.id === missingId) bring(data);
    else if (isGone(error)) bring("gone");
  }, [missingId, data, error, bring]);
  return missingId !== undefined && failure && !isGone(failure)
    ? { error: failure, onRetry: () => void refetch() }
    : undefined;
}

function isGone(error: Error | null): boolean {
  return error instanceof ApiError && [403, 404, 409].includes(error.status);
}

export interface UnreadStudy {
  error: Error;
  onRetry: () => void;
}
