import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { failureText } from "../../failure-text.ts";
import { isPerhapsDone } from "../../perhaps-done.ts";
import { showToast } from "../../ui/toast.tsx";
import { sharingApi } from "./sharing-api.ts";

const SHARING = "sharing";

export function useGrants(studyId: string) {
  return useQuery({
    queryKey: [SHARING, studyId, "grants"],
    queryFn: ({ signal }) => sharingApi.grants(studyId, signal),
    staleTime: 0,
  });
}

export function useAudit(studyId: string) {
  return useQuery({
    queryKey: [SHARING, studyId, "audit"],
    queryFn: ({ signal }) => sharingApi.audit(studyId, signal),
    staleTime: 0,
  });
}

export function useShare(studyId: string, onShared: () => void) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (wanted: { email: string; asksForReport?: boolean }) => sharingApi.share(studyId, wanted),
    onSuccess: async ({ name }) => {
      showToast({
        tone: "ok",
        title: t({ id: "share.done", message: "Access given" }),
        text: t({ id: "share.done.text", message: `${name} can now see this exam.` }),
      });
      onShared();
      await queryClient.invalidateQueries({ queryKey: [SHARING, studyId] });
    },
    onError: (error) => {
      if (isPerhapsDone(error)) void queryClient.invalidateQueries({ queryKey: [SHARING, studyId] });
    },
  });
}

export function useRevocation(studyId: string) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (userId: string) => sharingApi.revoke(studyId, userId),
    onSuccess: async () => {
      showToast({ tone: "ok", title: t({ id: "share.revoked", message: "Access removed" }) });
      await queryClient.invalidateQueries({ queryKey: [SHARING, studyId] });
    },
    onError: (error) => {
      if (isPerhapsDone(error)) void queryClient.invalidateQueries({ queryKey: [SHARING, studyId] });
      showToast({
        tone: "bad",
        title: t({ id: "share.revokeFailed", message: "Error removing access" }),
        text: failureText(error),
      });
    },
  });
}
