import { uploadInterrupted, uploadProcessLost } from "../../holdings/uploads/uploads.errors.ts";
import { AppError, type ErrorKind } from "../../http/app-error.ts";
import { storageFull } from "../../http/http.errors.ts";
import { isOutOfSpace } from "../../storage/disk/disk-room.ts";
import {
  seriesWouldBeTooLarge,
  tooManyUploads,
  uploadTooComplex,
  uploadUnreadable,
} from "./ingest.errors.ts";
import { IngestBusy, IngestRefused } from "./worker/worker.errors.ts";
import type { IngestFailure } from "./worker/worker-messages.ts";

/** How each refusal of a worker is answered. `undefined`: the upload is not to blame, and the answer is a 500. */
const ANSWERS: Record<IngestFailure, ErrorKind | undefined> = {
  "zip.not_zip": uploadUnreadable,
  "zip.malformed": uploadUnreadable,
  "zip.multi_disk": uploadUnreadable,
  "zip.overlap": uploadUnreadable,
  "zip.too_many_entries": uploadTooComplex,
  "zip.directory_too_large": uploadTooComplex,
  "upload.too_large_inflated": uploadTooComplex,
  "upload.too_many_instances": uploadTooComplex,
  "upload.too_many_studies": uploadTooComplex,
  "upload.too_much_metadata": uploadTooComplex,
  "upload.too_much_memory": uploadTooComplex,
  "upload.series_too_large": seriesWouldBeTooLarge,
  "disk.full": storageFull,
  // The caller answers it with what the account may store.
  "upload.over_quota": undefined,
  // A worker that scans says so to the pool, which scans the upload again in another lane.
  "upload.heavy": undefined,
  "manifest.damaged": undefined,
  // Of a rebuild alone.
  "volume.of_another_study": undefined,
  "worker.lost": uploadProcessLost,
  "worker.slow": undefined,
  "worker.failed": undefined,
};

/** The answers that stand for several refusals: they name the one that it was. */
const NAMES_REASON: ReadonlySet<ErrorKind> = new Set([uploadUnreadable, uploadTooComplex]);

/** Turns the failure of an upload into the error to answer; returns an {@link AppError} unchanged. */
export function uploadFailure(error: unknown): unknown {
  if (error instanceof IngestBusy)
    return new AppError(tooManyUploads, { retryAfterSeconds: 5, cause: error });
  if (error instanceof DOMException && error.name === "AbortError") {
    return new AppError(uploadInterrupted, { cause: error });
  }
  if (isOutOfSpace(error)) {
    return new AppError(storageFull, { cause: error });
  }
  const kind = error instanceof IngestRefused ? ANSWERS[error.failure] : undefined;
  if (!(error instanceof IngestRefused) || !kind) return error;
  const members = NAMES_REASON.has(kind) ? { reason: error.failure } : undefined;
  const retryAfterSeconds = kind === uploadProcessLost ? 10 : undefined;
  return new AppError(kind, { cause: error, members, retryAfterSeconds });
}
