import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { showToast } from "../../ui/toast.tsx";
import { sharingApi } from "./sharing-api.ts";

const invitationsKey = (studyId: string) => ["sharing", studyId, "invitations"];

/** The open invitations to a study. */
export function useInvitations(studyId: string) {
  return useQuery({
    queryKey: invitationsKey(studyId),
    queryFn: ({ signal }) => sharingApi.invitations(studyId, signal),
    staleTime: 0,
  });
}

export function useInvite(studyId: string, onInvited: () => void) {
  const { t } = useLingui();
  return useMutation({
    meta: { changes: [invitationsKey(studyId)] },
    mutationFn: (wanted: { email: string; asksForReport?: boolean }) => sharingApi.invite(studyId, wanted),
    onSuccess: ({ email }) => {
      showToast({
        tone: "ok",
        title: t({ id: "share.invited", message: "Invitation sent" }),
        text: t({ id: "share.invited.text", message: `${email} has 7 days to accept it.` }),
      });
      onInvited();
    },
  });
}

export function useWithdrawal(studyId: string) {
  const { t } = useLingui();
  return useMutation({
    meta: { changes: [invitationsKey(studyId)] },
    mutationFn: (id: string) => sharingApi.withdraw(studyId, id),
    onSuccess: () =>
      showToast({ tone: "ok", title: t({ id: "share.withdrawn", message: "Invitation withdrawn" }) }),
    onError: ({ message }) =>
      showToast({
        tone: "bad",
        title: t({ id: "share.notWithdrawn", message: "The invitation could not be withdrawn" }),
        text: message,
      }),
  });
}
