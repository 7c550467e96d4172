import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { showToast } from "../../ui/toast.tsx";
import { type FindingState, integrityApi } from "./integrity-api.ts";

const queryKey = ["integrity"];
/** A round goes on each minute, and a finding that is read again may close at any time. */
const REFRESH_MS = 15_000;

export const FINDINGS_PER_PAGE = 50;

export function useIntegrity() {
  return useQuery({
    queryKey: [...queryKey, "summary"],
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => integrityApi.summary(signal),
  });
}

/** A page of findings; the previous page stays visible while the next one loads. */
export function useFindings(state: FindingState, page: number) {
  return useQuery({
    queryKey: [...queryKey, "findings", state, page],
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      integrityApi.findings({ state, limit: FINDINGS_PER_PAGE, offset: page * FINDINGS_PER_PAGE }, signal),
  });
}

/** Starts something for a finding, reports that it started, and reads everything again. */
export function useFindingAction(
  run: (id: string) => Promise<unknown>,
  told: { title: string; text: string; failed: string },
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: () => showToast({ tone: "ok", title: told.title, text: told.text }),
    onError: (error) => showToast({ tone: "bad", title: told.failed, text: error.message }),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
}
