import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { failureText } from "../../calls/failure-text.ts";
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
  return useMutation({
    meta: { changes: [[SHARING, studyId]] },
    mutationFn: (wanted: { email: string; asksForReport?: boolean }) => sharingApi.share(studyId, wanted),
    onSuccess: ({ name }) => {
      showToast({
        tone: "ok",
        title: t({ id: "share.done", message: "Access given" }),
        text: t({ id: "share.done.text", message: `${name} can now see this exam.` }),
      });
      onShared();
    },
  });
}

export function useRevocation(studyId: string) {
  const { t } = useLingui();
  return useMutation({
    meta: { changes: [[SHARING, studyId]] },
    mutationFn: (userId: string) => sharingApi.revoke(studyId, userId),
    onSuccess: () => showToast({ tone: "ok", title: t({ id: "share.revoked", message: "Access removed" }) }),
    onError: (error) =>
      showToast({
        tone: "bad",
        title: t({ id: "share.revokeFailed", message: "Error removing access" }),
        text: failureText(error),
      }),
  });
}
