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
  const [id, setId] = useAtom(cancelledIdAtom);
  const job = useAtomValue(uploadJobsAtom).find((one) => one.id === id);
  const remove = useSetAtom(removeJobAtom);
  const isSending = job?.state.stage === "sending";
  // It is done, or it stopped by itself: there is nothing left to ask.
  useEffect(() => {
    if (id !== undefined && !isSending) setId(undefined);
  }, [id, isSending, setId]);
  return (
    <CancelQuestion
      open={isSending}
      percent={job ? sentPercent(job) : 0}
      onClose={() => setId(undefined)}
      onCancel={() => {
        if (id !== undefined) remove(id);
      }}
    />
  );
}

interface CancelQuestionProps {
  open: boolean;
  percent: number;
  /** Called whichever way the question ends, before `onCancel`. */
  onClose: () => void;
  onCancel: () => void;
}

/** Asks before what went through of an upload is lost. */
export function CancelQuestion({ open, percent, onClose, onCancel }: CancelQuestionProps) {
  const { t } = useLingui();
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title={t({ id: "upload.cancel.title", message: "Cancel this upload?" })}
      text={<Trans id="upload.cancel.text">What went through ({percent}%) is lost.</Trans>}
      dismissLabel={<Trans id="upload.cancel.keep">Keep uploading</Trans>}
      confirmLabel={<Trans id="upload.cancel">Cancel upload</Trans>}
      onConfirm={() => {
        onClose();
        onCancel();
      }}
    />
  );
}
