import type { UploadAnswer } from "../../../shared/api/upload.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { uploadTooLarge } from "./ingest.errors.ts";
import { formatSize, receiveUpload } from "./receive-upload.ts";
import { type IngestDeps, instancesIn, type TakenUpload, takeUpload } from "./take-upload.ts";
import { MULTIPART_OVERHEAD_BYTES } from "./upload-room.ts";
import type { UploadSlot } from "./upload-slots.ts";
import { DEFAULT_INGEST_LIMITS } from "./worker/ingest-workers.ts";

const MAX_CONFLICT_NAMES = 1000;

/**
 * Takes in the upload that a request brings; it is answered only after its commit.
 * @throws {AppError} `upload.*`, `quota.*`, `subscription.required`, `storage.full`
 */
export async function ingestUpload(
  deps: IngestDeps,
  caller: Caller,
  request: Request,
  origin: RequestOrigin,
  slot: UploadSlot,
): Promise<UploadAnswer> {
  const { maxUploadBytes } = deps.config;
  const lengthBytes = declaredLengthOf(request);
  if (lengthBytes > maxUploadBytes + MULTIPART_OVERHEAD_BYTES) {
    throw new AppError(uploadTooLarge, { values: { maximum: formatSize(maxUploadBytes) } });
  }
  const taken = await takeUpload(
    deps,
    { caller, origin, slot },
    {
      lengthBytes,
      signal: request.signal,
      spool(path, room) {
        const onReceived = (bytes: number) => {
          slot.countReceived(bytes);
          room.countReceived(bytes);
        };
        return receiveUpload(request, path, maxUploadBytes, room, { signal: slot.signal, onReceived });
      },
    },
  );
  return {
    studyInstanceUID: taken.studies[0]?.studyInstanceUID ?? "",
    studies: taken.studies,
    instancesReceived: instancesIn(taken.studies),
    ...namesOf(taken),
  };
}

/** What the answer names beside the studies; each list is bounded. */
function namesOf({
  scan: { skipped, skippedCount },
  built: { studies },
}: TakenUpload): Pick<UploadAnswer, "skipped" | "skippedCount" | "conflicts" | "conflictCount"> {
  const leftOut = studies.flatMap((study) => study.leftOut);
  const conflicts = studies.flatMap((study) => study.conflicts);
  return {
    skipped: [...skipped, ...leftOut].slice(0, DEFAULT_INGEST_LIMITS.maxSkippedNames),
    skippedCount: skippedCount + leftOut.length,
    conflicts: conflicts.slice(0, MAX_CONFLICT_NAMES),
    conflictCount: conflicts.length,
  };
}

/** Returns 0 for a body of unknown length, which comes in chunks. */
function declaredLengthOf(request: Request): number {
  const declared = Number(request.headers.get("content-length"));
  return Number.isSafeInteger(declared) && declared > 0 ? declared : 0;
}
