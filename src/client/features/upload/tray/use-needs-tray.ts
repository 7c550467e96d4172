import { useQuery } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import { useEffect, useState } from "react";
import { whenIdle } from "../../../ui/when-idle.ts";
import { useHis } from "../../session/his-context.ts";
import { listRecords } from "../send/resume-records.ts";
import { accountUploadsQuery, isOnItsWay } from "./account-uploads.ts";
import { uploadJobsAtom } from "./upload-jobs.ts";

/**
 * Whether the tray has something to show: an upload of this page, of an earlier one, or of another browser. Stays `true`, because
 * the tray is what sends.
 */
export function useNeedsTray(): boolean {
  const { user } = useHis();
  const hasUploads = useAtomValue(uploadJobsAtom).length > 0;
  const [isNeeded, setNeeded] = useState(() => listRecords(user.id).length > 0);
  const [isIdle, setIdle] = useState(false);
  const { data } = useQuery({ ...accountUploadsQuery(user.id), enabled: isIdle && !isNeeded });
  const isSentElsewhere = data?.some(isOnItsWay) ?? false;
  useEffect(() => whenIdle(() => setIdle(true)), []);
  useEffect(() => {
    if (hasUploads || isSentElsewhere) setNeeded(true);
  }, [hasUploads, isSentElsewhere]);
  return isNeeded;
}
