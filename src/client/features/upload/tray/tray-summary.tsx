import { Plural, Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { TimeLeft } from "../transfer-text.tsx";
import { isUnderWay, totalPercent, type UploadJob } from "./upload-job.ts";
import type { UploadElsewhere } from "./use-elsewhere.ts";

export type TrayTone = "sending" | "warn" | "ok";

/** What the tray says of all its uploads in two lines. */
export interface TraySummary {
  tone: TrayTone;
  title: ReactNode;
  detail: ReactNode;
  percent: number;
}

export function summarize(jobs: readonly UploadJob[]): TraySummary {
  const percent = totalPercent(jobs);
  const stopped = jobs.filter(({ state }) => state.stage === "stopped").length;
  const sending = jobs.find(({ state }) => state.stage === "sending");
  if (sending?.state.stage === "sending" && sending.state.transfer.isStalled) {
    return {
      tone: "warn",
      title: <Trans id="upload.stalled">No connection…</Trans>,
      detail: <Trans id="tray.stalled">Waiting for it to come back.</Trans>,
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
  if (stopped > 0) {
    return {
      tone: "warn",
      title: (
        <Plural id="tray.stopped" value={stopped} one="# upload interrupted" other="# uploads interrupted" />
      ),
      detail: <Trans id="tray.tryAgain">Try again, or discard it.</Trans>,
      percent,
    };
  }
  return { tone: "ok", title: <KeptTitle jobs={jobs} />, detail: null, percent };
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
    detail: `${percent}%`,
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
      {percent}%
      {sending?.state.stage === "sending" && (
        <>
          {" · "}
          <TimeLeft transfer={sending.state.transfer} />
        </>
      )}
      {stopped > 0 && (
        <>
          {" · "}
          <Plural id="tray.needYou" value={stopped} one="# needs you" other="# need you" />
        </>
      )}
    </>
  );
}

function KeptTitle({ jobs }: { jobs: readonly UploadJob[] }) {
  const exams = jobs.reduce(
    (sum, { state }) => sum + (state.stage === "done" ? state.answer.studies.length : 0),
    0,
  );
  return <Plural id="tray.examsKept" value={exams} one="# exam sent" other="# exams sent" />;
}
