import type { Context } from "hono";
import { isDatabaseUnavailable } from "../db/database.errors.ts";
import type { ElapsedMs } from "../runtime/clock.ts";
import { type ClientConnection, findConnection } from "./client-connection.ts";
import { begun } from "./stream-of.ts";

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
export function createRecheck(elapsedMs: ElapsedMs, assertAllowed: () => Promise<unknown>): Recheck {
  let nextAt = elapsedMs() + RELIED_ON_MS;
  return async () => {
    const now = elapsedMs();
    if (now < nextAt) return;
    nextAt = now + RELIED_ON_MS;
    try {
      await assertAllowed();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      nextAt = now + AWAY_MS;
    }
  };
}

/** A file up to this size is on its way within a second or so. */
export const UNWATCHED_BYTES = 4 * 1024 * 1024;
const LOOKED_EVERY_MS = 500;

/**
 * The same answer, once the first piece of its body is there. Access that ends breaks it off within a second or so, as damage does, so that
 * nobody takes what came for the whole. One with a length is one file, which the system may send and which would lose its length on the way
 * through a stream: its connection ends, and carries no other answer behind it.
 */
export async function whileAllowed(c: Context, response: Response, recheck: Recheck): Promise<Response> {
  const length = response.headers.get("Content-Length");
  if (length === null) {
    const { body, status, headers } = response;
    if (!body || c.req.method === "HEAD") return response;
    return new Response(await begun(streamWhileAllowed(body, recheck), c.req.raw.signal), {
      status,
      headers,
    });
  }
  if (Number(length) <= UNWATCHED_BYTES || c.req.method === "HEAD") return response;
  const connection = findConnection(c);
  if (!connection) return response;
  response.headers.set("Connection", "close");
  endUnlessAllowed(connection, recheck);
  return response;
}

function endUnlessAllowed(connection: ClientConnection, recheck: Recheck): void {
  const timer = setInterval(async () => {
    if (!connection.isOpen()) return clearInterval(timer);
    try {
      await recheck();
    } catch {
      clearInterval(timer);
      connection.end();
    }
  }, LOOKED_EVERY_MS);
  timer.unref();
}

/** The same body, as {@link whileAllowed}. */
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
