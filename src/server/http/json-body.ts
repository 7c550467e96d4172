import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "./app-error.ts";
import { assertUncoded } from "./body-coding.ts";
import { bodyTooLarge } from "./http.errors.ts";
import type { HttpEnv } from "./http-context.ts";
import { networkOf } from "./network-of.ts";
import { receiveBody } from "./receive-body.ts";
import { hasLongBody } from "./unread-bodies.ts";

const MAX_JSON_BYTES = 256 * 1024;

/** Refuses a body whose header says that it is too long for JSON. A body without a length is cut while it is read. */
export function refuseLongBodies(): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (Number(c.req.header("content-length") ?? 0) > MAX_JSON_BYTES) throw new AppError(bodyTooLarge);
    await next();
  };
}

/**
 * Reads the body of a request into memory, in one of the slots that all callers share; short bodies have slots of their own. Called
 * only after it is known that the caller may send a body.
 * @throws {AppError} 413, 415 for a content coding, 429, `body.interrupted`
 */
export async function bufferBody(c: Context<HttpEnv>, maxBytes = MAX_JSON_BYTES): Promise<void> {
  const { body, url, method, headers } = c.req.raw;
  if (!body) return;
  assertUncoded(headers);
  const { long, short } = c.get("bodies");
  using slot = await (hasLongBody(c) ? long : short).take(networkOf(c.get("address")));
  c.get("admitBody")();
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of receiveBody(body, slot)) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes) throw new AppError(bodyTooLarge);
    pieces.push(piece);
  }
  c.req.raw = new Request(url, { method, headers, body: Buffer.concat(pieces) });
}
