import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Receiver } from "../../../shared/api/receivers.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { receiversApi, refreshReceivers } from "./receivers-api.ts";

/** Asks before a receiver is removed. */
export function EndReceiverDialog({ receiver, onClose }: { receiver: Receiver; onClose: () => void }) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const { id, aeTitle } = receiver;
  const ending = useMutation({
    mutationFn: () => receiversApi.end(id),
    onSuccess: () =>
      showToast({ tone: "ok", title: t({ id: "receivers.ended", message: "Receiver removed" }) }),
    onError: (error) => {
      const title = t({ id: "receivers.endFailed", message: "The receiver was not removed" });
      showToast({ tone: "bad", title, text: error.message });
    },
    onSettled: async () => {
      await refreshReceivers(queryClient);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open && !ending.isPending) onClose();
      }}
      title={t({ id: "receivers.endTitle", message: `Remove the receiver ${aeTitle}?` })}
      text={
        <Trans id="receivers.endText">
          Machines that send to it are refused from now on. Exams that came in stay.
        </Trans>
      }
      confirmLabel={<Trans id="receivers.endConfirm">Remove receiver</Trans>}
      busy={ending.isPending}
      onConfirm={() => ending.mutate()}
    />
  );
}
