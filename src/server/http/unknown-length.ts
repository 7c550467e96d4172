import type { MiddlewareHandler } from "hono";

/** Their answers to GET have no body either. */
const WITHOUT_BODY = new Set([204, 304]);

/**
 * Keeps an answer to HEAD from saying that its body would be empty. The length is left out unless a route gives it, as for a body that is
 * sent in chunks (RFC 9110 §8.6). What the body was to be read from is closed, since nobody reads it.
 */
export function leaveLengthUnknown(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    if (c.req.method !== "HEAD" || WITHOUT_BODY.has(c.res.status)) return;
    if (!c.res.headers.has("Content-Length")) c.header("Transfer-Encoding", "chunked");
    await c.res.body?.cancel();
  };
}
