import { Trans } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import { useEffect, useRef, useState } from "react";
import { STUDIES } from "../../../calls/query-keys.ts";
import { laterChunk } from "../../../ui/lazy-chunk.ts";
import { useHis } from "../../session/his-context.ts";
import { accountUploadsQuery } from "./account-uploads.ts";
import { elsewhereOf } from "./elsewhere.ts";
import type { FirstUpload } from "./first-upload-progress.tsx";
import { isUnderWay } from "./upload-job.ts";
import { uploadJobsAtom } from "./upload-jobs.ts";

/**
 * The uploads that are not kept yet, of this page or of others, for a view that has no exam to show; undefined if there is none. Those
 * that ended count until the exams that they brought are read. How far they are it does not ask: the tray does.
 */
export function useFirstUpload(): FirstUpload | undefined {
  const { user } = useHis();
  const jobs = useAtomValue(uploadJobsAtom);
  const { data } = useQuery({ ...accountUploadsQuery(user.id), enabled: false });
  const elsewhere = elsewhereOf(data, user.id, (id) => jobs.some((job) => job.id === id));
  const isHere = jobs.some(({ state }) => state.stage !== "done");
  const isAwaited = useAwaitedExams(isHere || elsewhere.length > 0);
  /** What other pages sent when uploads were on their way last. */
  const before = useRef(elsewhere);
  useEffect(() => {
    if (isHere || elsewhere.length > 0) before.current = elsewhere;
  });
  if (isHere) return { jobs, elsewhere: [], isMoving: jobs.some(isUnderWay) };
  const others = elsewhere.length === 0 && isAwaited ? before.current : elsewhere;
  if (others.length > 0)
    return { jobs: [], elsewhere: others, isMoving: others.some(({ isMoving }) => isMoving) };
  return isAwaited && jobs.length > 0 ? { jobs, elsewhere: [], isMoving: true } : undefined;
}

/** Reads the exams once uploads are over; returns whether that is yet to be. */
function useAwaitedExams(isOnItsWay: boolean): boolean {
  const queryClient = useQueryClient();
  const [isAwaited, setAwaited] = useState(isOnItsWay);
  if (isOnItsWay && !isAwaited) setAwaited(true);
  useEffect(() => {
    if (isOnItsWay || !isAwaited) return;
    let isLeft = false;
    // Whoever sent them reads the exams, too: once is enough.
    const read = queryClient.invalidateQueries({ queryKey: [STUDIES] }, { cancelRefetch: false });
    void read.then(() => isLeft || setAwaited(false));
    return () => {
      isLeft = true;
    };
  }, [queryClient, isOnItsWay, isAwaited]);
  return isAwaited;
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

/** How far it is. The page of somebody who has exams does not wait for it. */
export const FirstUploadProgress = laterChunk<FirstUpload>(() => import("./first-upload-progress.tsx"));
