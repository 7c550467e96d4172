import { t } from "@lingui/core/macro";
import { ApiError } from "./api.ts";

const PATIENCE_MS = 20_000;

/**
 * The answer of a call during which the page can't be left, because what it makes is shown only once. A server that is silent for too
 * long fails as one that was not reached, so that the person gets out; it may have done what was asked.
 */
export async function answerInTime<Answer>(call: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const waiting = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(tooLate());
    waiting.abort();
  }, PATIENCE_MS);
  try {
    return await Promise.race([late.promise, call(waiting.signal)]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(): ApiError {
  const message = t({
    id: "api.late",
    message:
      "The server did not answer in time. It may have done it all the same: check before you try again.",
  });
  return new ApiError(0, "late", message);
}
