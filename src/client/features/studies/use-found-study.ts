import { useQuery } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { useEffect } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { ApiError } from "../../api.ts";
import { STUDIES } from "../../query-keys.ts";
import type { Subject } from "../places/views.ts";
import { studiesApi } from "./studies-api.ts";

/**
 * Asks the server after a reload for the study that the history names; closes the view or dialog of a study that no longer
 * exists.
 */
export function useFoundStudy({ missingIdAtom }: Subject<Study>): void {
  const [missingId, bring] = useAtom(missingIdAtom);
  const { data, error } = useQuery({
    queryKey: [STUDIES, "one", missingId],
    queryFn: ({ signal }) => studiesApi.read(missingId ?? "", signal),
    enabled: missingId !== undefined,
    gcTime: 0,
  });
  useEffect(() => {
    if (missingId === undefined) return;
    if (data?.id === missingId) bring(data);
    else if (error instanceof ApiError && [403, 404, 409].includes(error.status)) bring("gone");
  }, [missingId, data, error, bring]);
}
