import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { sizeText } from "../../../ui/text/size-text.ts";
import { transportFor } from "../send/choose-transport.ts";
import { TimeLeft } from "../transfer-text.tsx";
import type { UploadElsewhere } from "./elsewhere.ts";
import { isUnderWay, sizeOf, totalPercent, type UploadJob } from "./upload-job.ts";

export type TrayTone = "sending" | "queued" | "paused" | "offline" | "file" | "warn" | "ok";

/** What the tray says of all its uploads in two lines. */
export interface TraySummary {
  tone: TrayTone;
  title: ReactNode;
  detail: ReactNode;
  /** What the strip of a phone says in the place of `detail`; null where the title is enough. */
  brief?: ReactNode;
  percent: number;
}

export function summarize(jobs: readonly UploadJob[]): TraySummary {
  const percent = totalPercent(jobs);
  const stopped = jobs.filter(({ state }) => state.stage === "stopped").length;
  const paused = jobs.filter(({ state }) => state.stage === "paused").length;
  const sending = jobs.find(({ state }) => state.stage === "sending");
  if (sending?.state.stage === "sending" && sending.state.transfer.isStalled) {
    if (sending.state.transfer.isServerAway) {
      return {
        tone: "warn",
        title: <Trans id="tray.serverAway.title">Server unavailable</Trans>,
        detail: <Trans id="tray.serverAway.text">Uploads resume by themselves when it is back.</Trans>,
        brief: <Trans id="tray.offline.brief">It resumes by itself.</Trans>,
        percent,
      };
    }
    const resumes = transportFor(sizeOf(sending)).resumes;
    return {
      tone: "offline",
      title: <Trans id="tray.offline.title">No connection</Trans>,
      detail: resumes ? (
        <Trans id="tray.offline.text">Uploads resume by themselves when it is back.</Trans>
      ) : (
        <Trans id="tray.stalled">Waiting for it to come back.</Trans>
      ),
      ...(resumes && { brief: <Trans id="tray.offline.brief">It resumes by itself.</Trans> }),
      percent,
    };
  }
  if (jobs.some(isUnderWay)) {
    return {
      tone: "sending",
      title: <SendingTitle jobs={jobs} />,
      detail: <SendingDetail sending={sending} percent={percent} stopped={stopped} />,
      percent,
    };
  }
  const [first, second] = jobs;
  if (first?.state.stage === "stopped" && !second && first.state.percent > 0) {
    const { interruption, percent: sent } = first.state;
    if (interruption.kind === "file") return fileAskedFor(sent);
  }
  if (stopped > 0) {
    return {
      tone: "warn",
      title: (
        <Plural id="tray.stopped" value={stopped} one="# upload interrupted" other="# uploads interrupted" />
      ),
      detail: <Trans id="tray.tryAgain">Try again, or discard it.</Trans>,
      brief: null,
      percent,
    };
  }
  if (paused > 0) {
    return {
      tone: "paused",
      title: <Plural id="tray.pausedCount" value={paused} one="# upload paused" other="# uploads paused" />,
      detail: <Trans id="tray.percent">{percent}%</Trans>,
      percent,
    };
  }
  return {
    tone: "ok",
    title: <KeptTitle jobs={jobs} />,
    detail: <Trans id="tray.checked">Checked image by image</Trans>,
    brief: null,
    percent,
  };
}

/** Sums up the uploads that wait behind the one in the view, which shows its own progress. */
export function summarizeWaiting(jobs: readonly UploadJob[]): TraySummary {
  const waiting = jobs.filter(({ state }) => state.stage === "queued");
  const stopped = jobs.filter(({ state }) => state.stage === "stopped").length;
  return {
    tone: "queued",
    title: <Plural id="tray.waiting" value={waiting.length} one="# in the queue" other="# in the queue" />,
    detail: (
      <>
        <Size bytes={waiting.reduce((sum, job) => sum + sizeOf(job), 0)} />
        <NeedYou stopped={stopped} />
      </>
    ),
    percent: 0,
  };
}

function Size({ bytes }: { bytes: number }) {
  const { i18n } = useLingui();
  return sizeText(i18n, bytes);
}

/** Asks for a file that the browser lost with the page and the person still has. */
function fileAskedFor(percent: number): TraySummary {
  return {
    tone: "file",
    title: <Trans id="tray.fileAsked.title">Stopped at {percent}%</Trans>,
    detail: <Trans id="tray.fileAsked">Choose the file again</Trans>,
    percent,
  };
}

/** The same of uploads that only other pages send. */
export function summarizeElsewhere(elsewhere: readonly UploadElsewhere[]): TraySummary {
  const sum = (read: (upload: UploadElsewhere["upload"]) => number) =>
    elsewhere.reduce((total, { upload }) => total + read(upload), 0);
  const percent = Math.floor((100 * sum(({ offset }) => offset)) / sum(({ sizeBytes }) => sizeBytes));
  const isMoving = elsewhere.some((one) => one.isMoving);
  return {
    tone: isMoving ? "sending" : "warn",
    title: isMoving ? (
      <Trans id="tray.elsewhere">Uploading elsewhere</Trans>
    ) : (
      <Trans id="tray.elsewhere.stopped">Interrupted elsewhere</Trans>
    ),
    detail: <Trans id="tray.percent">{percent}%</Trans>,
    percent,
  };
}

function SendingTitle({ jobs }: { jobs: readonly UploadJob[] }) {
  const total = jobs.filter(({ state }) => state.stage !== "stopped").length;
  const number = jobs.filter(({ state }) => state.stage === "done").length + 1;
  return total > 1 ? (
    <Trans id="tray.sendingOf">
      Uploading {number} of {total}
    </Trans>
  ) : (
    <Trans id="tray.sending">Uploading</Trans>
  );
}

interface SendingDetailProps {
  sending: UploadJob | undefined;
  percent: number;
  stopped: number;
}

function SendingDetail({ sending, percent, stopped }: SendingDetailProps) {
  return (
    <>
      <Trans id="tray.percent">{percent}%</Trans>
      <span className="tray-of-all">
        {" "}
        <Trans id="tray.ofAll">of everything</Trans>
      </span>
      {sending?.state.stage === "sending" && (
        <>
          {" · "}
          <TimeLeft transfer={sending.state.transfer} isBrief />
        </>
      )}
      <NeedYou stopped={stopped} />
    </>
  );
}

function NeedYou({ stopped }: { stopped: number }) {
  if (stopped === 0) return null;
  return (
    <>
      {" · "}
      <Plural id="tray.needYou" value={stopped} one="# needs you" other="# need you" />
    </>
  );
}

/** An exam that went in several uploads is one. */
function KeptTitle({ jobs }: { jobs: readonly UploadJob[] }) {
  const studies = jobs.flatMap(({ state }) => (state.stage === "done" ? state.answer.studies : []));
  const exams = new Set(studies.map(({ id }) => id)).size;
  return <Plural id="tray.examsKept" value={exams} one="# exam kept" other="# exams kept" />;
}
