import type { UploadAnswer } from "../../../shared/api/upload.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Recheck } from "../../http/while-allowed.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { uploadTooLarge } from "./ingest.errors.ts";
import { formatSize, receiveUpload } from "./receive-upload.ts";
import { type IngestDeps, takeUpload } from "./take-upload.ts";
import { answerOf } from "./upload-answer.ts";
import { MULTIPART_OVERHEAD_BYTES } from "./upload-room.ts";
import type { UploadSlot } from "./upload-slots.ts";

/**
 * Takes in the upload that a request brings; it is answered only after its commit. `recheck` asks whether the sender may still store.
 * @throws {AppError} as `recheck` does; `upload.*`, `quota.*`, `subscription.required`, `storage.full`
 */
export async function ingestUpload(
  deps: IngestDeps,
  caller: Caller,
  { request, recheck }: { request: Request; recheck: Recheck },
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
      recheck,
      signal: request.signal,
      async spool(path, room, received) {
        const onReceived = (bytes: number) => {
          slot.countReceived(bytes);
          room.countReceived(bytes);
        };
        const receiving = { signal: slot.signal, onReceived, received };
        return await receiveUpload(request, path, maxUploadBytes, room, receiving);
      },
    },
  );
  return answerOf(taken);
}

/** Returns 0 for a body of unknown length, which comes in chunks. */
export function declaredLengthOf(request: Request): number {
  const declared = Number(request.headers.get("content-length"));
  return Number.isSafeInteger(declared) && declared > 0 ? declared : 0;
}
