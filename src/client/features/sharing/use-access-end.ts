import { useLingui } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { ApiError } from "../../calls/api.ts";
import { STUDIES } from "../../calls/query-keys.ts";
import { showToast } from "../../ui/toast.tsx";
import { studiesApi } from "../studies/studies-api.ts";

const CHECK_MS = 10_000;

/**
 * Calls `onEnd` when a study that is being looked at may no longer be: its grant was taken back, or it was deleted.
 * A viewer that has loaded all its images asks for nothing more, so it would not notice by itself.
 */
export function useAccessEnd(studyId: string, onEnd: () => void): void {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const { error } = useQuery({
    queryKey: ["looked-at", studyId],
    queryFn: ({ signal }) => studiesApi.status(studyId, signal),
    // It has only just been opened.
    initialData: { status: "b2", isReady: true },
    staleTime: CHECK_MS,
    gcTime: 0,
    refetchInterval: CHECK_MS,
  });
  const hasEnded = error instanceof ApiError && error.status === 404;
  const end = useEffectEvent(() => {
    showToast({
      tone: "info",
      title: t({ id: "share.ended", message: "Access has ended" }),
      text: t({ id: "share.ended.text", message: "This exam was deleted, or your access was removed." }),
    });
    void queryClient.invalidateQueries({ queryKey: [STUDIES] });
    onEnd();
  });
  useEffect(() => {
    if (hasEnded) end();
  }, [hasEnded]);
}
