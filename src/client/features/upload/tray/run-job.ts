import type { I18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { UploadAnswer } from "../../../../shared/api/upload.ts";
import { ApiError } from "../../../calls/api.ts";
import { PageOutdated } from "../../../runtime/page-outdated.ts";
import { toMetadata } from "../exam-form/exam-form.ts";
import { transportFor } from "../send/choose-transport.ts";
import { ensureStorage } from "../send/ensure-storage.ts";
import { isReadable } from "../send/is-readable.ts";
import { resumableTransport } from "../send/resumable-transport.ts";
import { findRecord } from "../send/resume-records.ts";
import type { OutgoingUpload } from "../send/send-upload.ts";
import { TransferMeter } from "../send/transfer-meter.ts";
import { UploadRefused } from "../upload-problem.ts";
import type { Transfer } from "../upload-state.ts";
import { problemTexts } from "../upload-texts.ts";
import { type Interruption, refusalOf, sizeOf, type UploadJob } from "./upload-job.ts";

/** The server's own words are of a whole upload; of one in chunks some may be kept. */
const serverFull = msg({
  id: "upload.serverFull",
  message: "The server has no space left for now. Try again later.",
});
const uploadFailed = msg({ id: "upload.failed", message: "Upload failed" });

export interface RunOptions {
  i18n: I18n;
  userId: string;
  /** Whether a plan limits what may be stored; an admin has none. */
  hasPlan: boolean;
  /** Resolves once the server was told of an upload that waited for its turn. */
  announcement?: Promise<void> | undefined;
  onProgress: (transfer: Transfer) => void;
  /** Called when a try failed that is repeated. */
  onFailure: (error: unknown) => void;
  /** Called each time the server tells whether it waits for room. */
  onWaiting: (waits: boolean) => void;
  signal: AbortSignal;
}

/** The browser can't read the file of an upload any more, a part of which the server has. */
export class FileLost extends Error {
  override name = "FileLost";
}

/**
 * Sends one upload of the tray.
 * @throws {ApiError} {@link FileLost}; {@link UploadRefused} if the file is gone; the signal's reason when aborted
 */
export async function runJob(job: UploadJob, options: RunOptions): Promise<UploadAnswer> {
  const { upload, known } = job;
  const { i18n, userId, hasPlan, announcement, onProgress, onFailure, onWaiting, signal } = options;
  await ensureHere(job);
  await announcement;
  const isOnServer = findRecord(job.id) !== undefined;
  // What the server has already, it has room for.
  if (hasPlan && !isOnServer) await ensureStorage(i18n, upload.zip.size, signal);
  const meter = new TransferMeter();
  const transport = isOnServer ? resumableTransport : transportFor(sizeOf(job));
  const sending = transport.send(outgoingOf(job, userId), {
    signal,
    onFailure,
    onWaiting,
    onProgress: (loadedBytes, totalBytes) => {
      const reading = meter.read(performance.now(), loadedBytes, totalBytes);
      // After a reload the browser has no bytes of what the server has whole.
      const sent = known?.isWhole
        ? { loadedBytes: known.sizeBytes, totalBytes: known.sizeBytes }
        : { loadedBytes, totalBytes };
      onProgress({ ...sent, ...reading });
    },
  });
  try {
    return await sending;
  } catch (error) {
    if (error instanceof ApiError && mayHideLoss(error)) await ensureHere(job);
    throw error;
  }
}

/** Whether a request may have failed so because its file could not be read. */
function mayHideLoss({ status }: ApiError): boolean {
  return status === 0 || status === 409 || status >= 500;
}

/** @throws {FileLost} {@link UploadRefused} */
async function ensureHere({ id, upload, known }: UploadJob): Promise<void> {
  if (known?.isWhole || (await isReadable(upload.zip))) return;
  throw findRecord(id) ? new FileLost() : new UploadRefused("badZip");
}

/** A job as it travels to the server. */
export function outgoingOf({ id, upload, form, source, known }: UploadJob, userId: string): OutgoingUpload {
  const packedName = source.kind === "folder" && upload.zip instanceof File ? upload.zip.name : undefined;
  return {
    id,
    userId,
    kind: source.kind,
    packedName,
    isWhole: known?.isWhole,
    zip: upload.zip,
    fileName: upload.fileName,
    metadata: toMetadata(form, upload.prefilled),
  };
}

/** Whether an upload may fail by this error; any other is an error of ours. */
export function isExpected(error: unknown): boolean {
  return [ApiError, FileLost, UploadRefused, PageOutdated].some((kind) => error instanceof kind);
}

/** Why an upload stopped, in the server's words if it has any. */
export function interruptionOf(i18n: I18n, error: unknown): Interruption {
  if (error instanceof UploadRefused) return { kind: "refused", text: i18n._(problemTexts[error.problem]) };
  if (error instanceof FileLost) return { kind: "file", isOther: false };
  if (error instanceof PageOutdated) return { kind: "outdated", text: i18n._(problemTexts.outdated) };
  if (!(error instanceof ApiError) || error.code === "unknown")
    return { kind: "refused", text: i18n._(uploadFailed) };
  if (error.code === "network") return { kind: "connection" };
  if (error.code === "storage.full") return { kind: "refused", text: i18n._(serverFull) };
  return refusalOf(error.code, error.message);
}
