import type { ResumableUploadState } from "../../../../shared/api/resumable.ts";
import { uploadAnswerSchema } from "../../../../shared/api/upload.ts";
import type { Locale } from "../../../../shared/locale.ts";
import type { ResumableUpload } from "./resumable-uploads.table.ts";
import { readProblem } from "./stored-problem.ts";

/** An upload as its sender sees it. */
export function presentResumable(upload: ResumableUpload, locale: Locale): ResumableUploadState {
  const { id, filename, sizeBytes, receivedBytes, createdAt, expiresAt, state, problem } = upload;
  const waits = state === "processing" && problem !== null;
  const result = state === "done" ? uploadAnswerSchema.safeParse(upload.result) : undefined;
  return {
    id,
    filename,
    sizeBytes,
    offset: receivedBytes,
    state: state === "ended" ? "failed" : state,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    ...(result?.success && { result: result.data }),
    ...((state === "failed" || waits) && { problem: readProblem(problem, locale) }),
  };
}
