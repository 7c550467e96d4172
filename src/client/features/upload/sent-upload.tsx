import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { useEffect, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { RefreshIcon, TriangleAlertIcon } from "../../ui/icons.tsx";
import { ReloadButton } from "../../ui/reload-button.tsx";
import { SeePlans } from "../plan/subscription-link.tsx";
import { maySubscribe, useHis } from "../session/his-context.ts";
import { useCancelUpload } from "./tray/cancel-upload.tsx";
import { InterruptionText } from "./tray/interruption-text.tsx";
import { ChooseAgain } from "./tray/resume-upload.tsx";
import {
  type Interruption,
  isFinal,
  type JobState,
  sentPercent,
  sizeOf,
  type UploadJob,
} from "./tray/upload-job.ts";
import { changeJobAtom } from "./tray/upload-jobs.ts";
import { UploadProgress } from "./upload-progress.tsx";
import { isSent, percentOf, type Transfer } from "./upload-state.ts";

/** An upload of the tray, from its first byte until it is done. One that stopped can be sent again from here. */
export function SentUpload({ job }: { job: UploadJob }) {
  const change = useSetAtom(changeJobAtom);
  const cancel = useCancelUpload();
  const { state, source, counts, upload } = job;
  const busyLabel = useBusyLabel(state);
  const ready = { source, counts, upload };
  return (
    <>
      {state.stage === "stopped" && (
        <Stopped {...state} job={job} onRetry={() => change(job.id, { state: { stage: "queued" } })} />
      )}
      <UploadProgress
        state={
          state.stage === "stopped"
            ? { ...ready, stage: "ready" }
            : { ...ready, stage: "sending", transfer: transferOf(job) }
        }
        isOver={state.stage === "stopped" && isFinal(state.interruption)}
        onCancel={() => cancel(job)}
      >
        {busyLabel !== undefined && (
          <div className="upload-busy" style={{ "--percent": sentPercent(job) }}>
            <Button kind="lit" size="big" disabled>
              {busyLabel}
            </Button>
          </div>
        )}
      </UploadProgress>
    </>
  );
}

function transferOf(job: UploadJob): Transfer {
  if (job.state.stage === "sending") return job.state.transfer;
  const totalBytes = sizeOf(job);
  return { loadedBytes: Math.floor((totalBytes * sentPercent(job)) / 100), totalBytes };
}

interface StoppedProps {
  job: UploadJob;
  percent: number;
  interruption: Interruption;
  onRetry: () => void;
}

/** What happened, at how many per cent, and what is kept; it stays until the person decides. */
function Stopped({ job, percent, interruption, onRetry }: StoppedProps) {
  const card = useRef<HTMLDivElement>(null);
  // The button that was pressed may be far below.
  useEffect(() => {
    // Braces, because newer browsers return a promise here.
    card.current?.scrollIntoView({ block: "center" });
  }, []);
  if (interruption.kind === "storage") return <NoStorageNotice text={interruption.text} />;
  const isOver = isFinal(interruption);
  const isOutdated = interruption.kind === "outdated";
  const isLost = interruption.kind === "file";
  return (
    <div className="notice is-bad mb-5" ref={card}>
      <CircleAlertIcon />
      <div role="alert">
        <p>
          <InterruptionText interruption={interruption} percent={percent} job={job} />
        </p>
        {isOutdated && (
          <p className="mt-3">
            <ReloadButton />
          </p>
        )}
        {isLost && (
          <p className="mt-3">
            <ChooseAgain job={job} percent={percent} />
          </p>
        )}
        {!isOver && !isOutdated && !isLost && (
          <>
            <p>
              <Trans id="upload.stopped.kept">
                Nothing of it is kept on the server. Your files and what you filled in are still here.
              </Trans>
            </p>
            <Button size="small" className="mt-3" onClick={onRetry}>
              <RefreshIcon small />
              <Trans id="upload.tryAgain">Try again</Trans>
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

function useBusyLabel(state: JobState): string | undefined {
  const { t } = useLingui();
  if (state.stage === "stopped" || state.stage === "done") return undefined;
  if (state.stage === "paused") return t({ id: "upload.paused", message: "Paused" });
  if (state.stage === "queued") return t({ id: "upload.waiting", message: "Waiting for its turn…" });
  const percent = percentOf(state.transfer);
  return isSent(state.transfer)
    ? t({ id: "upload.processing", message: "Processing…" })
    : t({ id: "upload.sending", message: `Uploading… ${percent}%` });
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
