import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { CSSProperties, ReactNode } from "react";
import { Button, IconButton } from "../../../ui/button.tsx";
import { CircleAlertIcon, CircleCheckIcon, CloseIcon } from "../../../ui/entry-icons.tsx";
import { FileArchiveIcon, FolderOpenIcon, RefreshIcon, WifiOffIcon } from "../../../ui/icons.tsx";
import { SeePlans } from "../../plan/subscription-link.tsx";
import { SmallFilm } from "../contact-sheet/small-film.tsx";
import { filmOf } from "../look-inside/contents.ts";
import { sizeText } from "../sizes.ts";
import { TimeLeft } from "../transfer-text.tsx";
import { isSent, type Transfer } from "../upload-state.ts";
import { useCancelUpload } from "./cancel-upload.tsx";
import { InterruptionText } from "./interruption-text.tsx";
import { ChooseAgain, PauseOrResume } from "./resume-upload.tsx";
import { type JobState, sentPercent, sizeOf, type UploadJob } from "./upload-job.ts";
import { changeJobAtom, removeJobAtom } from "./upload-jobs.ts";
import { useOpenExam } from "./use-open-exam.ts";

type StoppedState = Extract<JobState, { stage: "stopped" }>;

/** One upload of the tray: what it is, how far it is, and what the person can do about it. */
export function TrayRow({ job }: { job: UploadJob }) {
  const { state, source } = job;
  const needsSomebody = state.stage === "stopped" || (state.stage === "sending" && state.transfer.isStalled);
  return (
    <li className={`tray-row ${needsSomebody ? "is-warn" : ""}`}>
      <RowPicture job={job} />
      <div className="tray-text">
        <b>{source.name}</b>
        <span className="tray-line">
          <RowLine job={job} />
        </span>
        {state.stage !== "queued" && state.stage !== "done" && <RowBar job={job} />}
        {state.stage === "stopped" && <WayOn job={job} {...state} />}
      </div>
      <div className="tray-actions">
        <RowActions job={job} state={state} />
      </div>
    </li>
  );
}

function RowPicture({ job: { source, state, upload } }: { job: UploadJob }) {
  const SourceIcon = source.kind === "zip" ? FileArchiveIcon : FolderOpenIcon;
  const [film] = upload.contents?.studies.flatMap((study) => filmOf(study) ?? []) ?? [];
  return (
    <span className="tray-picture">
      {film ? <SmallFilm greys={film} /> : <SourceIcon />}
      <StateMark state={state} />
    </span>
  );
}

function StateMark({ state }: { state: JobState }) {
  if (state.stage === "done") return <CircleCheckIcon small className="tray-mark is-ok" />;
  if (state.stage === "stopped") return <CircleAlertIcon small className="tray-mark is-bad" />;
  return state.stage === "sending" && state.transfer.isStalled ? (
    <WifiOffIcon small className="tray-mark is-warn" />
  ) : null;
}

function RowLine({ job }: { job: UploadJob }): ReactNode {
  const { i18n, t } = useLingui();
  const { state, upload } = job;
  if (state.stage === "queued") {
    const size = sizeText(i18n, sizeOf(job));
    return <Trans id="tray.queued">Queued · {size}</Trans>;
  }
  if (state.stage === "sending") return <SendingLine transfer={state.transfer} percent={sentPercent(job)} />;
  if (state.stage === "stopped") return <InterruptionText {...state} fileName={upload.fileName} />;
  if (state.stage === "paused") {
    const { percent } = state;
    return <Trans id="tray.paused">Paused at {percent}%</Trans>;
  }
  const { instancesReceived, skippedCount } = state.answer;
  const kept = t({
    id: "tray.kept",
    message: plural(instancesReceived, { one: "# image kept", other: "# images kept" }),
  });
  const left = t({
    id: "tray.skipped",
    message: plural(skippedCount, { one: "# file was left out", other: "# files were left out" }),
  });
  const known = t({ id: "tray.known", message: "Everything was kept already" });
  return [instancesReceived > 0 ? kept : known, skippedCount > 0 && left].filter(Boolean).join(" · ");
}

function SendingLine({ transfer, percent }: { transfer: Transfer; percent: number }) {
  if (isSent(transfer) || transfer.isStalled) return <TimeLeft transfer={transfer} />;
  return (
    <>
      {percent}% · <TimeLeft transfer={transfer} />
    </>
  );
}

function RowBar({ job }: { job: UploadJob }) {
  const isChecking = job.state.stage === "sending" && isSent(job.state.transfer);
  const style = { "--percent": sentPercent(job) } as CSSProperties;
  return <span className={`progress-line ${isChecking ? "is-busy" : ""}`} style={style} aria-hidden="true" />;
}

function RowActions({ job, state }: { job: UploadJob; state: JobState }) {
  const { t } = useLingui();
  const change = useSetAtom(changeJobAtom);
  const remove = useSetAtom(removeJobAtom);
  const cancel = useCancelUpload();
  const open = useOpenExam();
  const { name } = job.source;
  if (state.stage === "done") {
    return (
      <Button
        size="small"
        onClick={() => {
          remove(job.id);
          void open(state.answer);
        }}
      >
        <Trans id="study.open">Open</Trans>
      </Button>
    );
  }
  const cancelButton = (
    <IconButton
      label={t({ id: "tray.cancelOf", message: `Cancel the upload of ${name}` })}
      onClick={() => cancel(job)}
    >
      <CloseIcon />
    </IconButton>
  );
  if (state.stage === "sending" || state.stage === "paused") {
    return (
      <>
        <PauseOrResume job={job} />
        {cancelButton}
      </>
    );
  }
  if (state.stage !== "stopped" || state.interruption.kind === "file") return cancelButton;
  return (
    <>
      <IconButton
        label={t({ id: "tray.retryOf", message: `Try again: ${name}` })}
        onClick={() => change(job.id, { state: { stage: "queued" } })}
      >
        <RefreshIcon />
      </IconButton>
      {cancelButton}
    </>
  );
}

/** What a stopped upload asks of the person, below the reason. */
function WayOn({ job, percent, interruption }: { job: UploadJob } & StoppedState): ReactNode {
  if (interruption.kind === "storage") return <SeePlans />;
  return interruption.kind === "file" && <ChooseAgain job={job} percent={percent} />;
}
