import { AppError } from "../../../http/app-error.ts";
import { tooManyReads } from "../dicomweb.errors.ts";

/** The time limit, including the wait for what is done for others. */
const MAX_WAIT_MS = 30_000;

/**
 * Works for a client that waits for it, as long as `signal` has not aborted.
 * @throws {AppError} 503 with Retry-After if it takes too long, or the client left
 */
export async function withPatience<Result>(
  signal: AbortSignal | undefined,
  work: (limit: AbortSignal) => Promise<Result>,
  maxWaitMs = MAX_WAIT_MS,
): Promise<Result> {
  const timeout = AbortSignal.timeout(maxWaitMs);
  const limit = signal ? AbortSignal.any([signal, timeout]) : timeout;
  return await work(limit).catch((cause) => {
    // Nothing failed, which is why the answer has no cause for the log.
    if (limit.aborted) throw new AppError(tooManyReads, { retryAfterSeconds: 5 });
    throw cause;
  });
}
