import { useQuery } from "@tanstack/react-query";
import { useAtomValue, useSetAtom, useStore } from "jotai";
import { useEffect, useEffectEvent } from "react";
import { readAgainAfterOutage } from "../../../calls/read-again.ts";
import { useHis } from "../../session/his-context.ts";
import { accountUploadsQuery } from "./account-uploads.ts";
import { elsewhereOf, type UploadElsewhere } from "./elsewhere.ts";
import { restoreJobs } from "./restore-jobs.ts";
import { isExpected } from "./run-job.ts";
import { addRestoredAtom, uploadJobsAtom } from "./upload-jobs.ts";

const POLL_MS = 5_000;

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
