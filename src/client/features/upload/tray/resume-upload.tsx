import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { useRef } from "react";
import { Button, IconButton } from "../../../ui/button.tsx";
import {
  FileArchiveIcon,
  FolderOpenIcon,
  PauseAllIcon,
  PauseIcon,
  PlayAllIcon,
  PlayIcon,
} from "../../../ui/icons.tsx";
import { viewAtom } from "../../places/views.ts";
import { findRecord } from "../send/resume-records.ts";
import { isSameFile } from "../send/same-file.ts";
import { useSourceName } from "../source-name.ts";
import { canPause, type UploadJob } from "./upload-job.ts";
import { changeJobAtom, pauseJobsAtom, removeJobAtom } from "./upload-jobs.ts";

/** Pauses an upload that can go on where it stopped, or lets it go on. */
export function PauseOrResume({ job }: { job: UploadJob }) {
  const { t } = useLingui();
  const pause = useSetAtom(pauseJobsAtom);
  const name = useSourceName(job.source);
  if (job.state.stage === "paused") {
    return (
      <IconButton
        label={t({ id: "tray.resumeOf", message: `Resume: ${name}` })}
        onClick={() => pause(false, [job])}
      >
        <PlayIcon />
      </IconButton>
    );
  }
  if (!canPause(job)) return null;
  return (
    <IconButton
      label={t({ id: "tray.pauseOf", message: `Pause: ${name}` })}
      onClick={() => pause(true, [job])}
    >
      <PauseIcon />
    </IconButton>
  );
}

/** Pauses all uploads that can be paused, or lets all paused ones go on once none is left to pause. */
export function PauseOrResumeAll({ jobs }: { jobs: readonly UploadJob[] }) {
  const { t } = useLingui();
  const pause = useSetAtom(pauseJobsAtom);
  if (jobs.some(canPause)) {
    return (
      <IconButton label={t({ id: "tray.pauseAll", message: "Pause all" })} onClick={() => pause(true, jobs)}>
        <PauseAllIcon />
      </IconButton>
    );
  }
  if (!jobs.some(({ state }) => state.stage === "paused")) return null;
  return (
    <IconButton label={t({ id: "tray.resumeAll", message: "Resume all" })} onClick={() => pause(false, jobs)}>
      <PlayAllIcon />
    </IconButton>
  );
}

interface ChooseAgainProps {
  job: UploadJob;
  percent: number;
}

/** The way on with files that the browser lost with the page. */
export function ChooseAgain(props: ChooseAgainProps) {
  return props.job.source.kind === "folder" ? (
    <ChooseFolderAgain job={props.job} />
  ) : (
    <ChooseFileAgain {...props} />
  );
}

/** Begins anew: the person has the folder, and nobody has the ZIP that was made of it. */
function ChooseFolderAgain({ job }: Pick<ChooseAgainProps, "job">) {
  const remove = useSetAtom(removeJobAtom);
  const setView = useSetAtom(viewAtom);
  return (
    <Button
      size="small"
      onClick={() => {
        remove(job.id);
        setView("uploadExames");
      }}
    >
      <FolderOpenIcon small />
      <Trans id="tray.chooseFolderAgain">Choose the folder again</Trans>
    </Button>
  );
}

/** Takes the same file again. */
function ChooseFileAgain({ job, percent }: ChooseAgainProps) {
  const { t } = useLingui();
  const change = useSetAtom(changeJobAtom);
  const input = useRef<HTMLInputElement>(null);
  const { fileName } = job.upload;
  const take = async (file: File) => {
    const record = findRecord(job.id);
    const isSame = record !== undefined && (await isSameFile(file, fileName, record).catch(() => false));
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
        aria-label={t({ id: "tray.fileAgain", message: `The same file again: ${fileName}` })}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = "";
          if (file) void take(file);
        }}
      />
      <Button size="small" onClick={() => input.current?.click()}>
        <FileArchiveIcon small />
        <span>
          <Trans id="tray.chooseAgain">Choose {fileName}</Trans>
        </span>
      </Button>
    </>
  );
}
