import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useAtom, useAtomValue, useSetAtom } from "jotai";
import { useEffect, useEffectEvent, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { RefreshIcon, TriangleAlertIcon } from "../../ui/icons.tsx";
import { sizeText } from "../../ui/size-text.ts";
import { pickToKeepAtom } from "../local-view/kept-pick.ts";
import type { LocalPick } from "../local-view/local-pick.ts";
import { viewAtom } from "../places/views.ts";
import { SeePlans } from "../plan/subscription-link.tsx";
import { maySubscribe, useHis } from "../session/his-context.ts";
import { ExamContents } from "./contents/exam-contents.tsx";
import { useSortedExams } from "./contents/use-sorted-exams.ts";
import type { ExamForm } from "./exam-form/exam-form.ts";
import { ExamFormPanel } from "./exam-form/exam-form-panel.tsx";
import { removeAbandonedFiles } from "./pack-folder/packed-files.ts";
import { DropZone } from "./pick/drop-zone.tsx";
import type { PreparedUpload } from "./prepare-upload.ts";
import { packedNamesInUse } from "./send/resume-records.ts";
import { useCancelUpload } from "./tray/cancel-upload.tsx";
import { InterruptionText } from "./tray/interruption-text.tsx";
import { type Interruption, type JobState, sentPercent, sizeOf, type UploadJob } from "./tray/upload-job.ts";
import { changeJobAtom, shownJobAtom } from "./tray/upload-jobs.ts";
import { UploadProgress } from "./upload-progress.tsx";
import { type Draft, isSent, percentOf, type Transfer } from "./upload-state.ts";
import { useDraft } from "./use-draft.ts";
import { useTrialLimit } from "./use-trial-limit.ts";

/** Sending an exam: pick, check what it says, send. From then on the tray has it, and this view shows how far it is. */
export default function UploadView() {
  const { draft, pick, submit, discard } = useDraft();
  const sent = useAtomValue(shownJobAtom);
  const { maxUploadBytes } = useHis();
  const setView = useSetAtom(viewAtom);
  const trialCount = useTrialLimit();
  usePickToKeep((picked) => void pick(picked));
  useEffect(() => {
    void removeAbandonedFiles(packedNamesInUse());
  }, []);

  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="menu.upload">Upload exams</Trans>
        </h1>
      </div>
      {trialCount !== undefined && <TrialLimitNotice count={trialCount} />}
      {draft.stage === "idle" && sent ? (
        <SentUpload key={sent.id} job={sent} />
      ) : draft.stage === "idle" ? (
        <DropZone
          disabled={trialCount !== undefined}
          maxUploadBytes={maxUploadBytes}
          next={<Trans id="upload.drop.first">Before anything is sent, you see what is inside.</Trans>}
          problem={draft.problem}
          onPick={(picked) => void pick(picked)}
          onHelp={() => setView("help")}
        />
      ) : (
        <PickedUpload draft={draft} onSubmit={submit} onDiscard={discard} />
      )}
    </>
  );
}

/** Files that the person viewed before they signed in; they are not asked for them again. */
function usePickToKeep(pick: (picked: LocalPick) => void): void {
  const [toKeep, setToKeep] = useAtom(pickToKeepAtom);
  const take = useEffectEvent(pick);
  useEffect(() => {
    if (!toKeep) return;
    setToKeep(undefined);
    take(toKeep);
  }, [toKeep, setToKeep]);
}

interface PickedUploadProps {
  draft: Exclude<Draft, { stage: "idle" }>;
  onSubmit: (form: ExamForm) => void;
  onDiscard: () => void;
}

/** What was picked: while it is being read, and then what it holds, before anything is sent. */
function PickedUpload({ draft, onSubmit, onDiscard }: PickedUploadProps) {
  const upload = draft.stage === "ready" ? draft.upload : undefined;
  const exams = useSortedExams(upload?.contents);
  return (
    <div className="upload">
      <div className="upload-main">
        {upload?.contents && exams && <ExamContents contents={upload.contents} exams={exams} />}
        <UploadProgress state={draft} onCancel={onDiscard} />
      </div>
      {upload && (
        <ExamFormPanel
          prefilled={upload.prefilled}
          values={upload.prefilled}
          summary={<SendSummary upload={upload} />}
          exams={upload.contents?.studies.length}
          isBlocked={exams !== undefined && exams.over.length > 0}
          onSubmit={onSubmit}
        />
      )}
    </div>
  );
}

/** How much is about to be sent. */
function SendSummary({ upload: { contents, zip } }: { upload: PreparedUpload }) {
  const { i18n } = useLingui();
  const count = contents?.studies.length ?? 0;
  return (
    <p className="exam-form-sum">
      {count > 0 && (
        <b>
          <Plural id="contents.exams" value={count} one="# exam" other="# exams" />
        </b>
      )}
      <span>{sizeText(i18n, zip.size)}</span>
    </p>
  );
}

/** An upload of the tray, from its first byte until it is done. One that stopped can be sent again from here. */
function SentUpload({ job }: { job: UploadJob }) {
  const change = useSetAtom(changeJobAtom);
  const show = useSetAtom(shownJobAtom);
  const cancel = useCancelUpload();
  const { state, source, counts, upload } = job;
  const busyLabel = useBusyLabel(state);
  const ready = { source, counts, upload };
  return (
    <>
      {state.stage === "stopped" && (
        <Stopped
          {...state}
          fileName={upload.fileName}
          onRetry={() => change(job.id, { state: { stage: "queued" } })}
        />
      )}
      <div className="upload">
        <UploadProgress
          state={
            state.stage === "stopped"
              ? { ...ready, stage: "ready" }
              : { ...ready, stage: "sending", transfer: transferOf(job) }
          }
          onCancel={() => cancel(job)}
          onAnother={state.stage === "stopped" ? undefined : () => show(undefined)}
        />
        <ExamFormPanel
          prefilled={upload.prefilled}
          values={job.form}
          busyLabel={busyLabel}
          percent={sentPercent(job)}
          exams={upload.contents?.studies.length}
          onSubmit={(form) => change(job.id, { form, state: { stage: "queued" } })}
        />
      </div>
    </>
  );
}

function transferOf(job: UploadJob): Transfer {
  if (job.state.stage === "sending") return job.state.transfer;
  const totalBytes = sizeOf(job);
  return { loadedBytes: Math.floor((totalBytes * sentPercent(job)) / 100), totalBytes };
}

interface StoppedProps {
  percent: number;
  fileName: string;
  interruption: Interruption;
  onRetry: () => void;
}

/** What happened, at how many per cent, and what is kept; it stays until the person decides. */
function Stopped({ percent, interruption, fileName, onRetry }: StoppedProps) {
  const card = useRef<HTMLDivElement>(null);
  // The button that was pressed may be far below.
  useEffect(() => {
    // Braces, because newer browsers return a promise here.
    card.current?.scrollIntoView({ block: "center" });
  }, []);
  if (interruption.kind === "storage") return <NoStorageNotice text={interruption.text} />;
  return (
    <div className="notice is-bad mb-5" ref={card}>
      <CircleAlertIcon />
      <div role="alert">
        <p>
          <InterruptionText {...{ interruption, percent, fileName }} />
        </p>
        <p>
          <Trans id="upload.stopped.kept">
            Nothing of it is kept on the server. Your files and what you filled in are still here.
          </Trans>
        </p>
        <Button size="small" className="mt-3" onClick={onRetry}>
          <RefreshIcon small />
          <Trans id="upload.tryAgain">Try again</Trans>
        </Button>
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
