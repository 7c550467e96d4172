import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { useRef } from "react";
import { Button, IconButton } from "../../../ui/button.tsx";
import { PauseIcon, PlayIcon } from "../../../ui/icons.tsx";
import { transportFor } from "../send/choose-transport.ts";
import { changeRecord, findRecord } from "../send/resume-records.ts";
import { isSameFile } from "../send/same-file.ts";
import { sentPercent, sizeOf, type UploadJob } from "./upload-job.ts";
import { changeJobAtom } from "./upload-jobs.ts";

/** Pauses an upload that can go on where it stopped, or lets it go on. */
export function PauseOrResume({ job }: { job: UploadJob }) {
  const { t } = useLingui();
  const change = useSetAtom(changeJobAtom);
  const { name } = job.source;
  const percent = sentPercent(job);
  if (job.state.stage === "paused") {
    return (
      <IconButton
        label={t({ id: "tray.resumeOf", message: `Resume: ${name}` })}
        onClick={() => {
          changeRecord(job.id, { isPaused: false });
          change(job.id, { state: { stage: "queued" } });
        }}
      >
        <PlayIcon />
      </IconButton>
    );
  }
  if (!transportFor(sizeOf(job)).resumes || percent === 100) return null;
  return (
    <IconButton
      label={t({ id: "tray.pauseOf", message: `Pause: ${name}` })}
      onClick={() => {
        changeRecord(job.id, { isPaused: true });
        change(job.id, { state: { stage: "paused", percent } });
      }}
    >
      <PauseIcon />
    </IconButton>
  );
}

/** Takes the same file again, which the browser lost with the page. */
export function ChooseAgain({ job, percent }: { job: UploadJob; percent: number }) {
  const { t } = useLingui();
  const change = useSetAtom(changeJobAtom);
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File) => {
    const record = findRecord(job.id);
    const isSame =
      record !== undefined && (await isSameFile(file, job.upload.fileName, record).catch(() => false));
    if (isSame) change(job.id, { upload: { ...job.upload, zip: file }, state: { stage: "queued" } });
    else
      change(job.id, { state: { stage: "stopped", percent, interruption: { kind: "file", isOther: true } } });
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        className="sr-only"
        tabIndex={-1}
        accept=".zip,application/zip"
        aria-label={t({ id: "tray.fileAgain", message: `The same file again: ${job.upload.fileName}` })}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = "";
          if (file) void take(file);
        }}
      />
      <Button size="small" onClick={() => input.current?.click()}>
        <Trans id="tray.chooseAgain">Choose file</Trans>
      </Button>
    </>
  );
}
