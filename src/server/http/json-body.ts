import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "./app-error.ts";
import { bodyTooLarge } from "./http.errors.ts";
import type { HttpEnv } from "./http-context.ts";
import { receiveBody } from "./receive-body.ts";

const MAX_JSON_BYTES = 256 * 1024;

/** Refuses by its header a body that is longer than any JSON of ours; what comes without one is cut while it is read. */
export function refuseLongBodies(): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (Number(c.req.header("content-length") ?? 0) > MAX_JSON_BYTES) throw new AppError(bodyTooLarge);
    await next();
  };
}

/**
 * Takes the body of a request into memory, in a place of its own among those of all callers. Asked only once it is
 * known that the caller may send it.
 * @throws {AppError} 413, 429, `body.interrupted`
 */
export async function bufferJson(c: Context<HttpEnv>): Promise<void> {
  const { body, url, method, headers } = c.req.raw;
  if (!body) return;
  using slot = await c.get("bodies").take(c.get("address"));
  c.get("admitBody")();
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of receiveBody(body, slot)) {
    sizeBytes += piece.length;
    if (sizeBytes > MAX_JSON_BYTES) throw new AppError(bodyTooLarge);
    pieces.push(piece);
  }
  c.req.raw = new Request(url, { method, headers, body: Buffer.concat(pieces) });
}
