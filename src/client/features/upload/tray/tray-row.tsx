import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { ReactNode } from "react";
import type { UploadAnswer } from "../../../../shared/api/upload.ts";
import { Button, buttonClass, IconButton } from "../../../ui/button.tsx";
import { CircleAlertIcon, CircleCheckIcon, CloseIcon } from "../../../ui/entry-icons.tsx";
import {
  FileArchiveIcon,
  FolderOpenIcon,
  RefreshIcon,
  TriangleAlertIcon,
  WifiOffIcon,
} from "../../../ui/icons.tsx";
import { ReloadButton } from "../../../ui/reload-button.tsx";
import { sizeText } from "../../../ui/text/size-text.ts";
import { viewAtom } from "../../places/views.ts";
import { SubscriptionLink } from "../../plan/subscription-link.tsx";
import { maySubscribe, useHis } from "../../session/his-context.ts";
import { useOpenExam } from "../../viewer/use-open-exam.ts";
import { SmallFilm } from "../contact-sheet/small-film.tsx";
import { filmOf } from "../look-inside/contents.ts";
import { skippedReason } from "../notices/skipped-reasons.ts";
import { transportFor } from "../send/choose-transport.ts";
import { useSourceName } from "../source-name.ts";
import { StalledText, TimeLeft } from "../transfer-text.tsx";
import { isSent, type Transfer } from "../upload-state.ts";
import { useCancelUpload } from "./cancel-upload.tsx";
import { InterruptionText } from "./interruption-text.tsx";
import { ChooseAgain, PauseOrResume } from "./resume-upload.tsx";
import {
  canTryAgain,
  isAnswerable,
  type JobState,
  sentPercent,
  sizeOf,
  type UploadJob,
} from "./upload-job.ts";
import { changeJobAtom, removeJobAtom } from "./upload-jobs.ts";

type StoppedState = Extract<JobState, { stage: "stopped" }>;

/** One upload of the tray: what it is, how far it is, and what the person can do about it. */
export function TrayRow({ job }: { job: UploadJob }) {
  const { state, source } = job;
  const name = useSourceName(source);
  return (
    <li className={`tray-row ${toneOf(state)}`} tabIndex={-1}>
      <RowPicture job={job} />
      <div className="tray-text">
        <b>{examName(job) ?? name}</b>
        <span className="tray-line">
          <RowLine job={job} />
        </span>
        {state.stage !== "queued" && state.stage !== "done" && <RowBar job={job} />}
      </div>
      <div className="tray-actions">
        <RowActions job={job} state={state} />
      </div>
      {state.stage === "stopped" && <WayOn job={job} {...state} />}
      {state.stage === "done" && (
        <>
          <Conflicts {...state.answer} />
          <LeftOut {...state.answer} />
        </>
      )}
    </li>
  );
}

/** A file that held a single exam goes by that exam's name once it is kept. */
function examName({ state, upload }: UploadJob): string | undefined {
  const [study, another] = upload.contents?.studies ?? [];
  return (state.stage === "done" && !another && study?.about.description) || undefined;
}

/** What the person can put right is a warning; what ended by itself is worse. */
function toneOf(state: JobState): string {
  if (state.stage === "paused") return "is-paused";
  if (state.stage === "sending") return state.transfer.isStalled ? "is-warn" : "";
  if (state.stage !== "stopped") return "";
  return isAnswerable(state.interruption) ? "is-warn" : "is-bad";
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
  if (state.stage === "stopped") {
    if (state.interruption.kind === "file") return null;
    return isAnswerable(state.interruption) ? (
      <TriangleAlertIcon small className="tray-mark is-warn" />
    ) : (
      <CircleAlertIcon small className="tray-mark is-bad" />
    );
  }
  if (state.stage !== "sending" || !state.transfer.isStalled) return null;
  const StalledIcon = state.transfer.isServerAway ? TriangleAlertIcon : WifiOffIcon;
  return <StalledIcon small className="tray-mark is-warn" />;
}

function RowLine({ job }: { job: UploadJob }): ReactNode {
  const { i18n, t } = useLingui();
  const { state } = job;
  if (state.stage === "queued") {
    const size = sizeText(i18n, sizeOf(job));
    return <Trans id="tray.queued">Queued · {size}</Trans>;
  }
  if (state.stage === "sending") return <SendingLine job={job} transfer={state.transfer} />;
  if (state.stage === "stopped") return <InterruptionText {...state} job={job} />;
  if (state.stage === "paused") {
    const { percent } = state;
    // How much of one that waited was sent is not known here.
    if (percent === 0) return <Trans id="tray.pausedUnsent">Paused</Trans>;
    return <Trans id="tray.paused">Paused at {percent}%</Trans>;
  }
  const { instancesReceived } = state.answer;
  if (instancesReceived === 0) return <Trans id="tray.known">Everything was kept already</Trans>;
  return t({
    id: "tray.kept",
    message: plural(instancesReceived, {
      one: "# image kept and checked",
      other: "# images kept and checked",
    }),
  });
}

function SendingLine({ job, transfer }: { job: UploadJob; transfer: Transfer }) {
  const { i18n } = useLingui();
  if (isSent(transfer) || (transfer.isStalled && !transportFor(sizeOf(job)).resumes))
    return <TimeLeft transfer={transfer} />;
  if (transfer.isStalled) return <StalledText transfer={transfer} />;
  const percent = sentPercent(job);
  const speed = transfer.bytesPerSecond !== undefined && sizeText(i18n, transfer.bytesPerSecond);
  return (
    <>
      <Trans id="tray.percent">{percent}%</Trans>
      {speed && ` · ${speed}/s`} · <TimeLeft transfer={transfer} />
    </>
  );
}

/** The images of an upload that differ from those under the same identifier. */
function Conflicts({ conflicts, conflictCount }: UploadAnswer) {
  if (conflictCount === 0) return null;
  return (
    <NamedFiles
      tone="warn"
      summary={
        <Plural
          id="tray.conflicts"
          value={conflictCount}
          one="# image differs from another with the same identifier. Both are kept."
          other="# images differ from others with the same identifier. All are kept."
        />
      }
      files={conflicts.map(({ name, sopInstanceUID }) => ({
        name,
        remark: <span className="mono">{sopInstanceUID}</span>,
      }))}
      total={conflictCount}
    />
  );
}

/** The files that an upload left out, by name and reason. */
function LeftOut({ skipped, skippedCount }: UploadAnswer) {
  const { i18n } = useLingui();
  if (skippedCount === 0) return null;
  return (
    <NamedFiles
      summary={
        <Plural
          id="tray.skipped"
          value={skippedCount}
          one="# file was left out"
          other="# files were left out"
        />
      }
      files={skipped.map(({ name, reason }) => ({
        name,
        remark: <span>{i18n._(skippedReason(reason))}</span>,
      }))}
      total={skippedCount}
    />
  );
}

/** As many names of files are shown; the list of exams names them all. */
const MAX_NAMED = 5;

interface NamedFilesProps {
  tone?: "warn";
  summary: ReactNode;
  files: readonly { name: string; remark: ReactNode }[];
  /** Count of all files; the server names only the first ones. */
  total: number;
}

/** A line that opens to the names of files, each with a remark. */
function NamedFiles({ tone, summary, files, total }: NamedFilesProps) {
  const named = files.slice(0, MAX_NAMED);
  const more = total - named.length;
  return (
    <details className={`tray-files ${tone ? `is-${tone}` : ""}`}>
      <summary>{summary}</summary>
      <ul>
        {named.map(({ name, remark }) => (
          <li key={name}>
            <span className="mono">{name}</span>
            {remark}
          </li>
        ))}
        {more > 0 && (
          <li>
            <Plural id="skipped.more" value={more} one="and # more" other="and # more" />
          </li>
        )}
      </ul>
    </details>
  );
}

function RowBar({ job }: { job: UploadJob }) {
  const isChecking = job.state.stage === "sending" && isSent(job.state.transfer);
  const style = { "--percent": sentPercent(job) };
  return <span className={`progress-line ${isChecking ? "is-busy" : ""}`} style={style} aria-hidden="true" />;
}

function RowActions({ job, state }: { job: UploadJob; state: JobState }) {
  const { t } = useLingui();
  const change = useSetAtom(changeJobAtom);
  const remove = useSetAtom(removeJobAtom);
  const cancel = useCancelUpload();
  const open = useOpenExam();
  const name = useSourceName(job.source);
  if (state.stage === "done") {
    const description = examName(job) ?? name;
    return (
      <Button
        size="small"
        aria-label={t({ id: "home.openOf", message: `Open ${description}` })}
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
  if (state.stage !== "stopped" || !canTryAgain(state.interruption)) return cancelButton;
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
  const { user } = useHis();
  const setView = useSetAtom(viewAtom);
  if (interruption.kind === "storage") {
    return (
      <div className="tray-ways">
        {maySubscribe(user) && (
          <SubscriptionLink className={buttonClass({ size: "small" })}>
            <Trans id="subscription.seePlans">See plans</Trans>
          </SubscriptionLink>
        )}
        <Button size="small" kind="quiet" onClick={() => setView("listaExames")}>
          <Trans id="tray.freeSpace">Free up space</Trans>
        </Button>
      </div>
    );
  }
  const isOutdated = interruption.kind === "outdated";
  if (!isOutdated && interruption.kind !== "file") return null;
  return (
    <div className="tray-ways">
      {isOutdated ? <ReloadButton /> : <ChooseAgain job={job} percent={percent} />}
    </div>
  );
}
