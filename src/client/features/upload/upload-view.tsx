import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect } from "react";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { TriangleAlertIcon } from "../../ui/icons.tsx";
import { useLeaveGuard } from "../places/use-leave-guard.ts";
import { SeePlans } from "../plan/subscription-link.tsx";
import { maySubscribe, useHis } from "../session/his-context.ts";
import { ExamFormPanel } from "./exam-form/exam-form-panel.tsx";
import { removeAbandonedFiles } from "./pack-folder/packed-files.ts";
import { DropZone } from "./pick/drop-zone.tsx";
import { UploadProgress } from "./upload-progress.tsx";
import { isSent, percentOf, type UploadState } from "./upload-state.ts";
import { useTrialLimit } from "./use-trial-limit.ts";
import { useUpload } from "./use-upload.ts";

/** Sending an exam: pick, check what it says, send, watch. */
export default function UploadView() {
  const { state, storageProblem, pick, submit, cancel } = useUpload();
  const trialCount = useTrialLimit();
  const busyLabel = useBusyLabel(state);
  useEffect(() => {
    void removeAbandonedFiles();
  }, []);

  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="menu.upload">Upload exams</Trans>
        </h1>
      </div>
      {trialCount !== undefined && <TrialLimitNotice count={trialCount} />}
      {storageProblem !== undefined && <NoStorageNotice text={storageProblem} />}
      {state.stage === "idle" ? (
        <DropZone
          disabled={trialCount !== undefined}
          problem={state.problem}
          onPick={(picked) => void pick(picked)}
        />
      ) : (
        <div className="upload">
          <UploadProgress state={state} onCancel={cancel} />
          {state.stage !== "preparing" && (
            <ExamFormPanel
              prefilled={state.prefilled}
              busyLabel={busyLabel}
              onSubmit={(form) => void submit(form)}
            />
          )}
        </div>
      )}
      <LeaveDialog holds={state.stage === "sending"} />
    </>
  );
}

function useBusyLabel(state: UploadState): string | undefined {
  const { t } = useLingui();
  if (state.stage !== "sending") return undefined;
  const percent = percentOf(state.transfer);
  return isSent(state.transfer)
    ? t({ id: "upload.processing", message: "Processing…" })
    : t({ id: "upload.sending", message: `Uploading… ${percent}%` });
}

function TrialLimitNotice({ count }: { count: number }) {
  return (
    <div className="notice is-warn mb-5">
      <TriangleAlertIcon />
      <p role="alert">
        <Trans id="upload.trialLimit">
          Limit Exceeded: You have already uploaded {count} exams and reached the maximum for trial users.
        </Trans>
      </p>
      <SeePlans />
    </div>
  );
}

function NoStorageNotice({ text }: { text: string }) {
  const { user } = useHis();
  return (
    <div className="notice is-warn mb-5">
      <TriangleAlertIcon />
      <p role="alert">{text}</p>
      {maySubscribe(user) && <SeePlans />}
    </div>
  );
}

function LeaveDialog({ holds }: { holds: boolean }) {
  const { t } = useLingui();
  const { asksToLeave, stay, leave } = useLeaveGuard(holds);
  return (
    <ConfirmDialog
      open={asksToLeave}
      onOpenChange={(open) => {
        if (!open) stay();
      }}
      title={t({ id: "upload.leave.title", message: "Leave and cancel the upload?" })}
      text={t({
        id: "upload.leave.text",
        message: "The exam is still being uploaded. If you leave this screen, nothing of it will be kept.",
      })}
      confirmLabel={t({ id: "upload.cancel", message: "Cancel upload" })}
      onConfirm={leave}
    />
  );
}
