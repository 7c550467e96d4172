import { useLingui } from "@lingui/react/macro";
import { useAtomValue, useSetAtom, useStore } from "jotai";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { UploadAnswer } from "../../../../shared/api/upload.ts";
import { ApiError } from "../../../calls/api.ts";
import { useAskBeforeUnload } from "../../../ui/hooks/use-ask-before-unload.ts";
import { showToast } from "../../../ui/toast.tsx";
import { viewAtom } from "../../places/views.ts";
import { useHis } from "../../session/his-context.ts";
import { draftAtom } from "../draft/draft.ts";
import { useFollowUpload } from "../follow/use-follow-upload.ts";
import { announceUpload } from "../send/announce-upload.ts";
import { endOnServer } from "../send/resumable-transport.ts";
import { isSent, type Transfer } from "../upload-state.ts";
import { interruptionOf, isExpected, outgoingOf, runJob } from "./run-job.ts";
import { StallWatch } from "./stall-watch.ts";
import { type Interruption, isFinal, sentPercent, sizeOf, type UploadJob } from "./upload-job.ts";
import {
  changeJobAtom,
  clearJobsAtom,
  isUploadingAtom,
  shownJobAtom,
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
  const announce = useAnnouncing();

  const start = useEffectEvent((job: UploadJob) => {
    const controller = new AbortController();
    running.current = { id: job.id, controller };
    void send(job, {
      signal: controller.signal,
      session: session.current.signal,
      announcement: announce.of(job.id),
      onEnd: () => {
        if (running.current?.controller === controller) running.current = undefined;
      },
    });
  });

  const announceWaiting = useEffectEvent(() => {
    for (const job of jobs)
      if (job.state.stage === "queued" && job.id !== running.current?.id)
        announce.begin(job, session.current.signal);
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
    announceWaiting();
  }, [jobs]);

  useEffect(() => {
    session.current = new AbortController();
    return () => {
      session.current.abort();
      running.current?.controller.abort();
      clear();
    };
  }, [clear]);

  const isUploading = useAtomValue(isUploadingAtom);
  useAskBeforeUnload(isUploading);
  useWakeLock(isUploading);
}

/** Tells the server once of each upload that waits for its turn. */
function useAnnouncing() {
  const { user } = useHis();
  const store = useStore();
  const [announced] = useState(() => new Map<string, Promise<void>>());
  return {
    of: (id: string) => announced.get(id),
    begin: (job: UploadJob, session: AbortSignal) => {
      if (announced.has(job.id) || job.known) return;
      announced.set(job.id, announce(job, session));
    },
  };

  async function announce(job: UploadJob, session: AbortSignal): Promise<void> {
    try {
      await announceUpload(outgoingOf(job, user.id), session);
    } catch (error) {
      if (!session.aborted) throw error;
    }
    // Cancelled meanwhile. What is left when the session ends goes on in a later one.
    const isHere = store.get(uploadJobsAtom).some(({ id }) => id === job.id);
    if (!isHere && !session.aborted) await endOnServer(job.id);
  }
}

interface SendingSignals {
  /** Aborted when this upload is cancelled. */
  signal: AbortSignal;
  /** Aborted when the session ends. */
  session: AbortSignal;
  /** Resolves once the server was told of it while it waited. */
  announcement: Promise<void> | undefined;
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

  /** Whether the upload view shows this upload, and so says what became of it. */
  const isSaidInView = (id: string) =>
    store.get(viewAtom) === "uploadExames" &&
    store.get(draftAtom).sources.length === 0 &&
    store.get(shownJobAtom)?.id === id;

  const followUntil = async (answer: UploadAnswer, signal: AbortSignal) => {
    try {
      await follow(answer, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

  return async (job: UploadJob, { signal, session, announcement, onEnd }: SendingSignals) => {
    const tell = (transfer: Transfer) => change(job.id, { state: { stage: "sending", transfer } });
    const progress = watchProgress(sizeOf(job), tell);
    const options = { i18n, userId: user.id, hasPlan: user.role !== "admin", announcement, signal };
    try {
      const { report: onProgress, failed: onFailure, waits: onWaiting } = progress;
      const answer = await runJob(job, { ...options, onProgress, onFailure, onWaiting });
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
      const isSaid = isFinal(interruption) && isSaidInView(job.id);
      if (!isSaid) tellInterruption(interruption);
      if (!isExpected(error)) throw error;
    }
  };
}

/** Tells the progress that is reported, and once a second whether the transfer stands still. */
function watchProgress(totalBytes: number, tell: (transfer: Transfer) => void) {
  const watch = new StallWatch(performance.now());
  let transfer: Transfer = { loadedBytes: 0, totalBytes };
  let isServerAway = false;
  tell(transfer);
  const timer = setInterval(() => {
    const isStalled = !isSent(transfer) && watch.isStalled(performance.now(), navigator.onLine);
    const isSame = isServerAway === Boolean(transfer.isServerAway);
    if (isStalled === Boolean(transfer.isStalled) && (isSame || !isStalled)) return;
    transfer = { ...transfer, isStalled, isServerAway };
    tell(transfer);
  }, WATCH_MS);
  return {
    report(next: Transfer) {
      transfer = next;
      isServerAway = false;
      watch.progressed(performance.now());
      tell(transfer);
    },
    failed(error: unknown) {
      isServerAway = error instanceof ApiError && error.status >= 500;
      watch.failed();
    },
    waits(waitsForRoom: boolean) {
      if (waitsForRoom === Boolean(transfer.waitsForRoom)) return;
      transfer = { ...transfer, waitsForRoom };
      tell(transfer);
    },
    end: () => clearInterval(timer),
  };
}

function useInterruptionToast(): (interruption: Interruption) => void {
  const { t } = useLingui();
  return (interruption) => {
    const text =
      "text" in interruption
        ? interruption.text
        : interruption.kind === "file"
          ? t({
              id: "upload.fileLost",
              message: "The file was changed, moved or deleted. Choose it again to continue.",
            })
          : t({ id: "upload.connectionFailed", message: "Connection error during the upload" });
    showToast({ tone: "bad", title: t({ id: "upload.error", message: "Upload error" }), text });
  };
}
