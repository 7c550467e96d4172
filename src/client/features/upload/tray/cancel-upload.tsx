import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom, useAtomValue, useSetAtom } from "jotai";
import { useEffect } from "react";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { dialogIdAtom } from "../../places/views.ts";
import { sentPercent, type UploadJob } from "./upload-job.ts";
import { removeJobAtom, uploadJobsAtom } from "./upload-jobs.ts";

/** An upload that has come no further is cancelled without a question. */
const ASKED_ABOVE_PERCENT = 10;

/** The upload whose cancellation is being asked about. */
const cancelledIdAtom = dialogIdAtom("cancel-upload");

/** Returns the function that cancels an upload, after a question if much of it has been sent. */
export function useCancelUpload(): (job: UploadJob) => void {
  const ask = useSetAtom(cancelledIdAtom);
  const remove = useSetAtom(removeJobAtom);
  return (job) => {
    if (job.state.stage === "sending" && sentPercent(job) > ASKED_ABOVE_PERCENT) ask(job.id);
    else remove(job.id);
  };
}

export function CancelDialog() {
  const { t } = useLingui();
  const [id, setId] = useAtom(cancelledIdAtom);
  const job = useAtomValue(uploadJobsAtom).find((one) => one.id === id);
  const remove = useSetAtom(removeJobAtom);
  const isSending = job?.state.stage === "sending";
  const percent = job ? sentPercent(job) : 0;
  // It is done, or it stopped by itself: there is nothing left to ask.
  useEffect(() => {
    if (id !== undefined && !isSending) setId(undefined);
  }, [id, isSending, setId]);
  return (
    <ConfirmDialog
      open={isSending}
      onOpenChange={(open) => {
        if (!open) setId(undefined);
      }}
      title={t({ id: "upload.cancel.title", message: "Cancel this upload?" })}
      text={<Trans id="upload.cancel.text">What went through ({percent}%) is lost.</Trans>}
      dismissLabel={<Trans id="upload.cancel.keep">Keep uploading</Trans>}
      confirmLabel={<Trans id="upload.cancel">Cancel upload</Trans>}
      onConfirm={() => {
        setId(undefined);
        if (id !== undefined) remove(id);
      }}
    />
  );
}
