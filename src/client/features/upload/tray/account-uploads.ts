import { queryOptions } from "@tanstack/react-query";
import { listUploadsCall, type ResumableUploadState } from "../../../../shared/api/resumable.ts";
import { callJson } from "../../../calls/api.ts";

const FRESH_MS = 15_000;

/** What every page and browser sends to the account. */
export const accountUploadsQuery = (userId: string) =>
  queryOptions({
    queryKey: ["uploads", userId],
    queryFn: ({ signal }) => callJson(listUploadsCall, { signal }),
    staleTime: FRESH_MS,
    refetchOnWindowFocus: true,
  });

/** Whether an upload is neither ended nor kept. */
export function isOnItsWay({ state }: ResumableUploadState): boolean {
  return state === "receiving" || state === "processing";
}
