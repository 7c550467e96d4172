import { useQuery } from "@tanstack/react-query";
import { useAtomValue, useSetAtom, useStore } from "jotai";
import { useEffect, useEffectEvent } from "react";
import type { ResumableUploadState } from "../../../../shared/api/resumable.ts";
import { readAgainAfterOutage } from "../../../read-again.ts";
import { serverNow } from "../../../server-clock.ts";
import { useHis } from "../../session/his-context.ts";
import { wasEndedHere } from "../send/resumable-transport.ts";
import { listRecords } from "../send/resume-records.ts";
import { accountUploadsQuery, isOnItsWay } from "./account-uploads.ts";
import { restoreJobs } from "./restore-jobs.ts";
import { isExpected } from "./run-job.ts";
import { addRestoredAtom, uploadJobsAtom } from "./upload-jobs.ts";

/** An upload to the account that another page sends, or sent until it stopped. */
export interface UploadElsewhere {
  upload: ResumableUploadState;
  /** Whether that page is another tab of this browser. */
  isInThisBrowser: boolean;
  /** Whether bytes came lately. */
  isMoving: boolean;
}

const POLL_MS = 5_000;
/** An upload expires this long after its last byte. */
const KEPT_MS = 7 * 24 * 3600_000;
const QUIET_MS = 30_000;

type Uploads = ResumableUploadState[];

/**
 * Brings back into the tray what earlier pages of this person queued and did not end, and returns what other pages send. What another
 * tab leaves behind when it is closed comes to this one.
 */
export function useElsewhere(): UploadElsewhere[] {
  const { user } = useHis();
  const store = useStore();
  const jobs = useAtomValue(uploadJobsAtom);
  const addRestored = useSetAtom(addRestoredAtom);
  const isHere = (id: string) => store.get(uploadJobsAtom).some((job) => job.id === id);

  const { data, dataUpdatedAt } = useQuery({
    ...accountUploadsQuery(user.id),
    refetchInterval: (read) =>
      readAgainAfterOutage(read) ||
      (elsewhereOf(read.state.data, user.id, isHere).length > 0 ? POLL_MS : false),
  });

  const restore = useEffectEvent(async (signal: AbortSignal) => {
    try {
      const restored = await restoreJobs(user.id, { signal, isHere });
      if (!signal.aborted) addRestored(restored);
    } catch (error) {
      if (!signal.aborted && !isExpected(error)) throw error;
    }
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: at each answer of the server, another tab may have been closed
  useEffect(() => {
    const controller = new AbortController();
    void restore(controller.signal);
    return () => controller.abort();
  }, [user.id, dataUpdatedAt]);

  return elsewhereOf(data, user.id, (id) => jobs.some((job) => job.id === id));
}

/** What of the account's uploads other pages send than this one. */
export function elsewhereOf(
  uploads: Uploads | undefined,
  userId: string,
  isHere: (id: string) => boolean,
): UploadElsewhere[] {
  const onTheirWay = (uploads ?? []).filter((upload) => isOnItsWay(upload) && !wasEndedHere(upload.id));
  if (onTheirWay.length === 0) return [];
  const rowIds = new Map(listRecords(userId).map(({ id, path }) => [path.split("/").at(-1), id]));
  return onTheirWay.flatMap((upload) => {
    const rowId = rowIds.get(upload.id);
    if (rowId !== undefined && isHere(rowId)) return [];
    const lastByteAt = Date.parse(upload.expiresAt) - KEPT_MS;
    const isMoving = upload.state === "processing" || serverNow() - lastByteAt < QUIET_MS;
    return { upload, isInThisBrowser: rowId !== undefined, isMoving };
  });
}
