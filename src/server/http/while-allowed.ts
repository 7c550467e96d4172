import { isDatabaseUnavailable } from "../db/database.errors.ts";
import type { Clock } from "../runtime/clock.ts";

/** How long an answer that is being sent relies on what was found out about its reader. */
const RELIED_ON_MS = 1_000;
/** A database that is away is asked no more often, since each question may take long to fail. */
const AWAY_MS = 60_000;

/** Makes sure that a caller may still do what they began. @throws {AppError} if they may not */
export type Recheck = () => Promise<void>;

/**
 * Calls `assertAllowed` again, at most once a second, counted from now. A database that is away refuses nobody: what was begun ends
 * whole.
 */
export function createRecheck(clock: Clock, assertAllowed: () => Promise<unknown>): Recheck {
  let nextAt = clock.now().getTime() + RELIED_ON_MS;
  return async () => {
    const now = clock.now().getTime();
    // A clock that was set back does not put it off.
    if (now < nextAt && nextAt - now <= AWAY_MS) return;
    nextAt = now + RELIED_ON_MS;
    try {
      await assertAllowed();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      nextAt = now + AWAY_MS;
    }
  };
}

/**
 * The same answer. Access that ends breaks its body off within a second, as damage does, so that nobody takes what came for the whole.
 * One with a length is one file, which the system may send: it would lose its length on the way through a stream.
 */
export function whileAllowed(response: Response, recheck: Recheck): Response {
  if (response.headers.has("Content-Length")) return response;
  const { body, status, headers } = response;
  return body ? new Response(streamWhileAllowed(body, recheck), { status, headers }) : response;
}

/** As {@link whileAllowed}, for a body. */
export function streamWhileAllowed(
  stream: ReadableStream<Uint8Array>,
  recheck: Recheck,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          await recheck();
        } catch (error) {
          await reader.cancel(error);
          throw error;
        }
        const { value, done } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
