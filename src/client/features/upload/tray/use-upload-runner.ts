import { useLingui } from "@lingui/react/macro";
import { useAtomValue, useSetAtom, useStore } from "jotai";
import { useEffect, useEffectEvent, useRef } from "react";
import type { UploadAnswer } from "../../../../shared/api/upload.ts";
import { showToast } from "../../../ui/toast.tsx";
import { useAskBeforeUnload } from "../../../ui/use-ask-before-unload.ts";
import { useHis } from "../../session/his-context.ts";
import { useFollowUpload } from "../follow/use-follow-upload.ts";
import { isSent, type Transfer } from "../upload-state.ts";
import { restoreJobs } from "./restore-jobs.ts";
import { interruptionOf, isExpected, runJob } from "./run-job.ts";
import { StallWatch } from "./stall-watch.ts";
import { type Interruption, sentPercent, sizeOf, type UploadJob } from "./upload-job.ts";
import {
  addRestoredAtom,
  changeJobAtom,
  clearJobsAtom,
  isUploadingAtom,
  uploadJobsAtom,
} from "./upload-jobs.ts";
import { useWakeLock } from "./use-wake-lock.ts";

const WATCH_MS = 1_000;

/** Sends the uploads of the tray one after the other, until the session ends. */
export function useUploadRunner(): void {
  const jobs = useAtomValue(uploadJobsAtom);
  const clear = useSetAtom(clearJobsAtom);
  const running = useRef<{ id: string; controller: AbortController }>(undefined);
  const session = useRef(new AbortController());
  const send = useSending();

  const start = useEffectEvent((job: UploadJob) => {
    const controller = new AbortController();
    running.current = { id: job.id, controller };
    void send(job, {
      signal: controller.signal,
      session: session.current.signal,
      onEnd: () => {
        if (running.current?.controller === controller) running.current = undefined;
      },
    });
  });

  useEffect(() => {
    const { current } = running;
    const now = jobs.find(({ id }) => id === current?.id);
    if (current && (!now || now.state.stage === "paused")) {
      current.controller.abort();
      running.current = undefined;
    }
    const next = jobs.find(({ state }) => state.stage === "queued");
    if (!running.current && next) start(next);
  }, [jobs]);

  useEffect(() => {
    session.current = new AbortController();
    return () => {
      session.current.abort();
      running.current?.controller.abort();
      clear();
    };
  }, [clear]);

  useRestored();
  const isUploading = useAtomValue(isUploadingAtom);
  useAskBeforeUnload(isUploading);
  useWakeLock(isUploading);
}

/** Brings back what earlier pages of this person began and did not end. */
function useRestored(): void {
  const { user } = useHis();
  const add = useSetAtom(addRestoredAtom);
  useEffect(() => {
    const controller = new AbortController();
    restoreJobs(user.id, controller.signal).then(
      (restored) => {
        if (!controller.signal.aborted) add(restored);
      },
      (error: unknown) => {
        if (!controller.signal.aborted && !isExpected(error)) throw error;
      },
    );
    return () => controller.abort();
  }, [user.id, add]);
}

interface SendingSignals {
  /** Aborted when this upload is cancelled. */
  signal: AbortSignal;
  /** Aborted when the session ends. */
  session: AbortSignal;
  /** Called when the next upload may start. */
  onEnd: () => void;
}

/** Returns the function that sends a job, and tells in the tray and in toasts what becomes of it. */
function useSending() {
  const { i18n } = useLingui();
  const { user } = useHis();
  const store = useStore();
  const change = useSetAtom(changeJobAtom);
  const follow = useFollowUpload();
  const tellInterruption = useInterruptionToast();

  const followUntil = async (answer: UploadAnswer, signal: AbortSignal) => {
    try {
      await follow(answer, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

  return async (job: UploadJob, { signal, session, onEnd }: SendingSignals) => {
    const tell = (transfer: Transfer) => change(job.id, { state: { stage: "sending", transfer } });
    const progress = watchProgress(sizeOf(job), tell);
    const options = { i18n, userId: user.id, hasPlan: user.role !== "admin", signal };
    try {
      const answer = await runJob(job, { ...options, onProgress: progress.report });
      progress.end();
      onEnd();
      change(job.id, { state: { stage: "done", answer } });
      void job.upload.dispose();
      await followUntil(answer, session);
    } catch (error) {
      progress.end();
      onEnd();
      if (signal.aborted) return;
      const interruption = interruptionOf(i18n, error);
      const now = store.get(uploadJobsAtom).find(({ id }) => id === job.id);
      const percent = now ? sentPercent(now) : 0;
      change(job.id, { state: { stage: "stopped", percent, interruption } });
      tellInterruption(interruption);
      if (!isExpected(error)) throw error;
    }
  };
}

/** Tells the progress that is reported, and once a second whether the transfer stands still. */
function watchProgress(totalBytes: number, tell: (transfer: Transfer) => void) {
  const watch = new StallWatch(performance.now());
  let transfer: Transfer = { loadedBytes: 0, totalBytes };
  tell(transfer);
  const timer = setInterval(() => {
    const isStalled = !isSent(transfer) && (!navigator.onLine || watch.isStalled(performance.now()));
    if (isStalled === Boolean(transfer.isStalled)) return;
    transfer = { ...transfer, isStalled };
    tell(transfer);
  }, WATCH_MS);
  return {
    report(next: Transfer) {
      transfer = next;
      watch.progressed(performance.now());
      tell(transfer);
    },
    end: () => clearInterval(timer),
  };
}

function useInterruptionToast(): (interruption: Interruption) => void {
  const { t } = useLingui();
  return (interruption) => {
    const text =
      interruption.kind === "connection" || interruption.kind === "file"
        ? t({ id: "upload.connectionFailed", message: "Connection error during the upload" })
        : interruption.text;
    showToast({ tone: "bad", title: t({ id: "upload.error", message: "Upload error" }), text });
  };
}
