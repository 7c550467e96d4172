import { useLingui } from "@lingui/react/macro";
import { useMutation, useMutationState, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { LabExam } from "../../../shared/api/labs.ts";
import { ApiError, isOutage } from "../../calls/api.ts";
import { failureText } from "../../calls/failure-text.ts";
import { mayRetry } from "../../calls/query-client.ts";
import { LABS, LABS_AND_USAGE } from "../../calls/query-keys.ts";
import { readAgainAfterFailure } from "../../calls/read-again.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { showToast } from "../../ui/toast.tsx";
import { pdfName, saveFile } from "../pdf/save-file.ts";
import { labName } from "./lab-text.ts";
import { labsApi } from "./labs-api.ts";

const CACHED_MS = 60_000;

/** The person's exams. */
export function useLabs() {
  const { t } = useLingui();
  const query = useQuery({
    queryKey: [LABS, "list"],
    queryFn: ({ signal }) => labsApi.list(signal),
    staleTime: CACHED_MS,
    retry: mayRetry,
  });
  const { data, refetch } = query;
  const failure = useFailure(query);
  useFailureToast(failure, t({ id: "labs.listFailed", message: "Error loading laboratory exams" }));
  return { exams: data, failure, retry: () => void refetch() };
}

/**
 * Shows each failure once in a toast, however often it is tried again meanwhile, except the end of a session, which the login form
 * reports.
 */
export function useFailureToast(failure: Error | undefined, title: string): void {
  const told = useRef<string>(undefined);
  useEffect(() => {
    // A server that goes down and comes back fails in several ways.
    const kind = failure && (isOutage(failure) ? "outage" : failure.message);
    if (kind === told.current) return;
    told.current = kind;
    if (!failure || (failure instanceof ApiError && failure.status === 401)) return;
    showToast({ tone: "bad", title, text: failure.message });
  }, [failure, title]);
}

export function useLabStats() {
  return useQuery({
    queryKey: [LABS, "stats"],
    queryFn: ({ signal }) => labsApi.stats(signal),
    staleTime: 0,
    refetchInterval: readAgainAfterFailure,
  });
}

/** Fetches a PDF, which counts as an action, and has the browser save it. */
export function useLabDownload() {
  const { i18n, t } = useLingui();
  return useMutation({
    meta: { changes: LABS_AND_USAGE },
    mutationFn: async (exam: LabExam) => {
      const blob = await labsApi.download(exam.id);
      saveFile(blob, pdfName(labName(i18n, exam), exam.examDate));
    },
    onSuccess: () =>
      showToast({ tone: "ok", title: t({ id: "download.done", message: "Download complete" }) }),
    onError: (error) =>
      showToast({
        tone: "bad",
        title: t({ id: "labs.downloadFailed", message: "Error downloading" }),
        text: failureText(error),
      }),
  });
}

const DELETION = [LABS, "delete"];

export function useLabDeletion() {
  const { i18n, t } = useLingui();
  return useMutation({
    mutationKey: DELETION,
    meta: { changes: LABS_AND_USAGE },
    mutationFn: (exam: LabExam) => labsApi.remove(exam.id),
    onSuccess: (_answer, exam) =>
      showToast({
        tone: "ok",
        title: t({ id: "study.deleted", message: "Exam deleted" }),
        text: labName(i18n, exam),
      }),
    onError: (error) =>
      showToast({
        tone: "bad",
        title: t({ id: "labs.deleteFailed", message: "Error deleting exam" }),
        text: failureText(error),
      }),
  });
}

/** Ids of the exams that are being deleted. */
export function useDeletingLabs(): ReadonlySet<string> {
  const ids = useMutationState({
    filters: { mutationKey: DELETION, status: "pending" },
    select: ({ state }) => (state.variables as LabExam | undefined)?.id ?? "",
  });
  return new Set(ids);
}
