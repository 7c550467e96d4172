import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import { useHis } from "../../session/his-context.ts";
import { accountUploadsQuery } from "./account-uploads.ts";
import { summarize, summarizeElsewhere, type TraySummary } from "./tray-summary.tsx";
import { isUnderWay } from "./upload-job.ts";
import { uploadJobsAtom } from "./upload-jobs.ts";
import { elsewhereOf } from "./use-elsewhere.ts";

export interface FirstUpload extends TraySummary {
  /** Whether it arrives without the person. */
  isMoving: boolean;
}

/**
 * The uploads that are not kept yet, of this page or of others, for a view that has no exam to show; undefined if there is none. It asks
 * nothing: the tray does.
 */
export function useFirstUpload(): FirstUpload | undefined {
  const { user } = useHis();
  const jobs = useAtomValue(uploadJobsAtom);
  const { data } = useQuery({ ...accountUploadsQuery(user.id), enabled: false });
  if (jobs.some(({ state }) => state.stage !== "done"))
    return { ...summarize(jobs), isMoving: jobs.some(isUnderWay) };
  const elsewhere = elsewhereOf(data, user.id, (id) => jobs.some((job) => job.id === id));
  if (elsewhere.length === 0) return undefined;
  return { ...summarizeElsewhere(elsewhere), isMoving: elsewhere.some(({ isMoving }) => isMoving) };
}

export function FirstUploadTitle({ isMoving }: FirstUpload) {
  return isMoving ? (
    <Trans id="upload.first.title">An upload is under way</Trans>
  ) : (
    <Trans id="upload.first.stopped">An upload has stopped</Trans>
  );
}

/** What happens once it has arrived. */
export function FirstUploadText() {
  return <Trans id="upload.first.text">Its exams are shown here once they are kept.</Trans>;
}

/** How far it is, as the tray says. */
export function FirstUploadProgress({ tone, title, detail, percent }: FirstUpload) {
  return (
    <div className="first-upload">
      <span>
        <b>{title}</b> <span>{detail}</span>
      </span>
      <span className={`progress-line is-${tone}`} style={{ "--percent": percent }} aria-hidden="true" />
    </div>
  );
}
