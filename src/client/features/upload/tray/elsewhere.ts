import type { ResumableUploadState } from "../../../../shared/api/resumable.ts";
import { DAY_MS } from "../../../../shared/units.ts";
import { serverNow } from "../../../calls/server-clock.ts";
import { wasEndedHere } from "../send/resumable-transport.ts";
import { listRecords } from "../send/resume-records.ts";
import { isOnItsWay } from "./account-uploads.ts";

/** An upload to the account that another page sends, or sent until it stopped. */
export interface UploadElsewhere {
  upload: ResumableUploadState;
  /** Whether that page is another tab of this browser. */
  isInThisBrowser: boolean;
  /** Whether bytes came lately. */
  isMoving: boolean;
}

/** An upload expires this long after its last byte. */
const KEPT_MS = 7 * DAY_MS;
const QUIET_MS = 30_000;

/** What of the account's uploads other pages send than this one. */
export function elsewhereOf(
  uploads: ResumableUploadState[] | undefined,
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
