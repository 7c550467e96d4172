import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { Receiver } from "../../../shared/api/receivers.ts";
import { EndDialog } from "../../ui/end-dialog.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { receiversApi, refreshReceivers } from "./receivers-api.ts";

/** Asks before a receiver is removed. */
export function EndReceiverDialog({ receiver, onClose }: { receiver: Receiver; onClose: () => void }) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const close = useOwnClose(onClose);
  const { id, aeTitle } = receiver;
  return (
    <EndDialog
      title={t({ id: "receivers.endTitle", message: `Remove the receiver ${aeTitle}?` })}
      text={
        <Trans id="receivers.endText">
          Machines that send to it are refused from now on. Exams that came in stay.
        </Trans>
      }
      confirmLabel={<Trans id="receivers.endConfirm">Remove receiver</Trans>}
      endedText={t({ id: "receivers.ended", message: "Receiver removed" })}
      failedText={t({ id: "receivers.endFailed", message: "The receiver was not removed" })}
      end={() => receiversApi.end(id)}
      refresh={() => refreshReceivers(queryClient)}
      onClose={onClose}
      onEnded={close}
    />
  );
}
