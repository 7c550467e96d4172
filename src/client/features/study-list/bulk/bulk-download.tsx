import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { ApiError } from "../../../calls/api.ts";
import { startBrowserDownload } from "../../../runtime/start-browser-download.ts";
import { isStudyGone, STUDY_GONE } from "../../studies/is-study-gone.ts";
import { studiesApi } from "../../studies/studies-api.ts";
import { BulkConfirm } from "./bulk-confirm.tsx";
import { type BulkRun, type LeftExam, useBulkJob } from "./bulk-job.ts";
import type { BulkDialogProps } from "./bulk-parts.tsx";
import { useBulkEnd } from "./use-bulk-end.ts";

/** Asks once, and has the browser download the chosen exams as one file. */
export function BulkDownload(props: BulkDialogProps) {
  const { t } = useLingui();
  const count = props.studies.length;
  const failed = t({ id: "download.failed", message: "The download failed" });
  const end = useBulkEnd({
    title: (done) =>
      t({
        id: "bulk.downloaded",
        message: plural(done, {
          one: "Your browser is saving # exam",
          other: "Your browser is saving # exams",
        }),
      }),
    onClose: props.onClose,
  });
  const job = useBulkJob({ act: (run) => downloadTogether(run, failed), onEnd: end });
  return (
    <BulkConfirm
      {...props}
      job={job}
      title={t({
        id: "bulk.download.title",
        message: plural(count, { one: "Download # exam?", other: "Download # exams?" }),
      })}
      text={
        <Trans id="bulk.download.text">
          All of them come in one ZIP. If the connection drops, your browser can go on where it stopped.
        </Trans>
      }
      confirmKind="lit"
      confirmLabel={<Trans id="select.download">Download</Trans>}
      busyLabel={<Trans id="profile.data.preparing">Preparing…</Trans>}
    />
  );
}

/** A file that can't be made leaves all of its exams. */
async function downloadTogether({ studies }: BulkRun, failed: string): Promise<LeftExam[]> {
  try {
    const { url, fileName, leftOut } = await studiesApi.downloadSeveral(studies.map(({ id }) => id));
    startBrowserDownload(url, fileName);
    return leftOut.map(({ id, message, code }) => ({ id, message, isGone: code === STUDY_GONE }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = error.code === "unknown" ? failed : error.message;
    // Without any exam that is left, the answer is the refusal of the first.
    return studies.map(({ id }, index) => ({ id, message, isGone: index === 0 && isStudyGone(error) }));
  }
}
