import { useLingui } from "@lingui/react/macro";
import { useEffect, useReducer, useRef, useState } from "react";
import type { UploadAnswer } from "../../../shared/api/upload.ts";
import { ApiError } from "../../api.ts";
import { showToast } from "../../ui/toast.tsx";
import { useHis } from "../session/his-context.ts";
import { type ExamForm, toMetadata } from "./exam-form/exam-form.ts";
import { useFollowUpload } from "./follow/use-follow-upload.ts";
import { PackingFailed, packInWorker } from "./pack-folder/packed-folder.ts";
import type { Picked } from "./pick/picked-files.ts";
import {
  ensureReadable,
  type PreparedUpload,
  prepareUpload,
  type UploadProblem,
  UploadRefused,
} from "./prepare-upload.ts";
import { ensureStorage } from "./send/ensure-storage.ts";
import { sendUpload } from "./send/send-upload.ts";
import { TransferMeter } from "./send/transfer-meter.ts";
import { type PickedSource, reduceUpload } from "./upload-state.ts";

/** The upload from pick to list. Leaving the view aborts the step that is running. */
export function useUpload() {
  const { maxUploadBytes, user } = useHis();
  const { i18n } = useLingui();
  const [state, dispatch] = useReducer(reduceUpload, { stage: "idle" });
  const prepared = useRef<PreparedUpload>(undefined);
  const running = useRef<AbortController>(undefined);
  const follow = useFollowUpload();
  const tellFailure = useUploadFailureToast();
  /** Says that the plan had no room for the last upload. Unlike a toast, the message stays. */
  const [storageProblem, setStorageProblem] = useState<string>();

  /** Aborts the running step and returns the signal of the next one. */
  const begin = () => {
    running.current?.abort();
    running.current = new AbortController();
    return running.current.signal;
  };
  const forget = () => {
    void prepared.current?.dispose();
    prepared.current = undefined;
  };
  useEffect(
    () => () => {
      running.current?.abort();
      void prepared.current?.dispose();
    },
    [],
  );

  const refuse = (error: unknown, signal: AbortSignal) => {
    if (signal.aborted) return;
    forget();
    dispatch({ type: "refused", problem: problemOf(error) });
  };

  const pick = async (picking: Picked | Promise<Picked>) => {
    const signal = begin();
    setStorageProblem(undefined);
    forget();
    try {
      const picked = await picking;
      if (picked.kind !== "refused") dispatch({ type: "picked", source: sourceOf(picked) });
      const upload = await prepareUpload(picked, {
        maxUploadBytes,
        signal,
        pack: packInWorker,
        onProgress: (progress) => dispatch({ type: "progressed", progress }),
      });
      if (signal.aborted) return void upload.dispose();
      prepared.current = upload;
      dispatch({ type: "prepared", upload });
    } catch (error) {
      refuse(error, signal);
    }
  };

  const submit = async (form: ExamForm) => {
    const upload = prepared.current;
    if (!upload) return;
    const signal = begin();
    setStorageProblem(undefined);
    dispatch({ type: "submitted" });
    try {
      await ensureReadable(upload.zip);
      if (user.role !== "admin") await ensureStorage(i18n, upload.zip.size, signal);
      const meter = new TransferMeter();
      const answer = await sendUpload(
        { zip: upload.zip, fileName: upload.fileName, metadata: toMetadata(form, upload.prefilled) },
        {
          signal,
          onProgress: (loadedBytes, totalBytes) => {
            const reading = meter.read(performance.now(), loadedBytes, totalBytes);
            dispatch({ type: "sent", transfer: { loadedBytes, totalBytes, ...reading } });
          },
        },
      );
      forget();
      dispatch({ type: "reset" });
      await followIgnoringAbort(answer, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof UploadRefused) return refuse(error, signal);
      dispatch({ type: "failed" });
      if (isOutOfStorage(error)) setStorageProblem(error.message);
      tellFailure(error);
    }
  };

  const followIgnoringAbort = async (answer: UploadAnswer, signal: AbortSignal) => {
    try {
      await follow(answer, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

  const cancel = () => {
    begin();
    forget();
    setStorageProblem(undefined);
    dispatch({ type: "reset" });
  };

  return { state, storageProblem, pick, submit, cancel };
}

function isOutOfStorage(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "quota.bytes";
}

/** Shows the server's message if there is one. */
function useUploadFailureToast(): (error: unknown) => void {
  const { t } = useLingui();
  return (error) => {
    const failed = t({ id: "upload.failed", message: "Upload failed" });
    const text =
      error instanceof ApiError && error.code === "network"
        ? t({ id: "upload.connectionFailed", message: "Connection error during the upload" })
        : error instanceof ApiError && error.code !== "unknown"
          ? error.message
          : failed;
    showToast({ tone: "bad", title: t({ id: "upload.error", message: "Upload error" }), text });
    if (!(error instanceof ApiError)) throw error;
  };
}

/** A DOMException while reading means that the files have vanished. */
function problemOf(error: unknown): UploadProblem {
  if (error instanceof UploadRefused) return error.problem;
  if (error instanceof PackingFailed) return "packingFailed";
  if (error instanceof DOMException) return "badZip";
  throw error;
}

function sourceOf(picked: Exclude<Picked, { kind: "refused" }>): PickedSource {
  if (picked.kind === "zip") return { kind: "zip", name: picked.file.name, sizeBytes: picked.file.size };
  const sizeBytes = picked.files.reduce((total, { file }) => total + file.size, 0);
  return { kind: "folder", name: picked.name, sizeBytes };
}
