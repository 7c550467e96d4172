import { AppError } from "../../http/app-error.ts";
import { tooManyReads } from "../dicomweb/dicomweb.errors.ts";

/** The time limit of decoding, including the wait for others' frames. */
const MAX_WAIT_MS = 30_000;

/** Decodes something for a client that waits for it. @throws {AppError} 503 with Retry-After if it takes too long, or the client left */
export async function withPatience<Result>(
  signal: AbortSignal,
  decode: (limit: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
  return await decode(limit).catch((cause) => {
    // Nothing failed, which is why the answer has no cause for the log.
    if (limit.aborted) throw new AppError(tooManyReads, { retryAfterSeconds: 5 });
    throw cause;
  });
}
