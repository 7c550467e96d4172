import { Trans } from "@lingui/react/macro";
import type { Interruption, UploadJob } from "./upload-job.ts";

interface InterruptionTextProps {
  interruption: Interruption;
  percent: number;
  job: UploadJob;
}

/** What happened to an upload that stopped, and at how many per cent. */
export function InterruptionText({ interruption, percent, job }: InterruptionTextProps) {
  const { fileName } = job.upload;
  if (interruption.kind === "file") {
    if (job.source.kind === "folder") {
      return (
        <Trans id="upload.stopped.folder">
          This browser no longer has the files of the folder. Choose the folder again: the upload starts over.
        </Trans>
      );
    }
    if (interruption.isOther)
      return <Trans id="upload.stopped.otherFile">This is another file. Choose {fileName}.</Trans>;
    return percent === 0 ? (
      <Trans id="upload.stopped.fileUnsent">Choose {fileName} again to send it.</Trans>
    ) : (
      <Trans id="upload.stopped.file">
        Choose {fileName} again to resume from {percent}%.
      </Trans>
    );
  }
  if (interruption.kind === "connection") {
    return (
      <Trans id="upload.stopped.connection">Upload interrupted. The connection dropped at {percent}%.</Trans>
    );
  }
  const { text } = interruption;
  if (interruption.kind !== "refused" || interruption.isFinal) return text;
  return <Trans id="upload.stopped.refused">Upload interrupted. {text}</Trans>;
}
