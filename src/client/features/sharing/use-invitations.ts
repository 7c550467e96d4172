import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isPerhapsDone } from "../../perhaps-done.ts";
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
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (wanted: { email: string; asksForReport?: boolean }) => sharingApi.invite(studyId, wanted),
    onSuccess: async ({ email }) => {
      showToast({
        tone: "ok",
        title: t({ id: "share.invited", message: "Invitation sent" }),
        text: t({ id: "share.invited.text", message: `${email} has 7 days to accept it.` }),
      });
      onInvited();
      await queryClient.invalidateQueries({ queryKey: invitationsKey(studyId) });
    },
    onError: (error) => {
      if (isPerhapsDone(error)) void queryClient.invalidateQueries({ queryKey: invitationsKey(studyId) });
    },
  });
}

export function useWithdrawal(studyId: string) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => sharingApi.withdraw(studyId, id),
    onSuccess: () =>
      showToast({ tone: "ok", title: t({ id: "share.withdrawn", message: "Invitation withdrawn" }) }),
    onError: ({ message }) =>
      showToast({
        tone: "bad",
        title: t({ id: "share.notWithdrawn", message: "The invitation could not be withdrawn" }),
        text: message,
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: invitationsKey(studyId) }),
  });
}
