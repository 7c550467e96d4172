import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { NewRequest, Request } from "../../../shared/api/deliveries.ts";
import { failureText } from "../../calls/failure-text.ts";
import { refreshExams } from "../../calls/query-keys.ts";
import { readAgainAfterOutage } from "../../calls/read-again.ts";
import { showToast } from "../../ui/toast.tsx";
import { studiesApi } from "../studies/studies-api.ts";
import { MAX_NAMED } from "../study-list/bulk/bulk-parts.tsx";
import { useOpenExam } from "../viewer/use-open-exam.ts";
import { requestsApi } from "./requests-api.ts";

const REQUESTS = ["requests"];
/** While somebody may be delivering, the list is read again so often. */
const READ_AGAIN_MS = 5_000;

export function useRequests() {
  return useQuery({
    queryKey: REQUESTS,
    queryFn: ({ signal }) => requestsApi.list(signal),
    staleTime: 0,
    refetchInterval: (read) =>
      readAgainAfterOutage(read) ||
      (read.state.data?.some(({ state }) => state === "open" || state === "sending") ? READ_AGAIN_MS : false),
  });
}

/** The studies that deliveries brought and that are still kept. */
export function studyIdsOf(deliveries: Request["deliveries"]): string[] {
  return deliveries.flatMap(({ studyIds }) => studyIds);
}

/** Returns the function that opens what deliveries brought. */
export function useOpenDelivered(): (deliveries: Request["deliveries"]) => Promise<void> {
  const open = useOpenExam();
  return (deliveries) => open({ studies: studyIdsOf(deliveries).map((id) => ({ id })) });
}

export function useCreateRequest() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: NewRequest) => requestsApi.create(request),
    // The request is shown without waiting for the list. If the answer got lost, one may be there that nobody has seen.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: REQUESTS }),
  });
}

export function useEndRequest() {
  const { t } = useLingui();
  return useMutation({
    meta: { changes: [REQUESTS] },
    mutationFn: (id: string) => requestsApi.end(id),
    onSuccess: () => showToast({ tone: "ok", title: t({ id: "request.ended", message: "Request ended" }) }),
    onError: (error) =>
      showToast({
        tone: "bad",
        title: t({ id: "request.endFailed", message: "The request was not ended" }),
        text: failureText(error),
      }),
  });
}

/** The first of these studies, as many as a question names. */
export function useNamedStudies(studyIds: readonly string[]) {
  const ids = studyIds.slice(0, MAX_NAMED);
  return useQuery({
    // Not among the studies that are read again after a deletion: these are gone then.
    queryKey: ["refused", ...ids],
    queryFn: ({ signal }) => Promise.all(ids.map((id) => studiesApi.read(id, signal))),
    gcTime: 0,
  });
}

/** Deletes what a delivery brought; it uses no action for 7 days. */
export function useRefuse() {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (studyIds: readonly string[]) => {
      for (const id of studyIds) await studiesApi.remove(id);
    },
    onSuccess: () =>
      showToast({ tone: "ok", title: t({ id: "request.refused", message: "Delivery refused and deleted" }) }),
    onError: (error) =>
      showToast({
        tone: "bad",
        title: t({ id: "study.deleteFailed", message: "Error deleting" }),
        text: failureText(error),
      }),
    onSettled: () =>
      Promise.all([refreshExams(queryClient), queryClient.invalidateQueries({ queryKey: REQUESTS })]),
  });
}
