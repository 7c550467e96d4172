import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "./app-error.ts";
import { bodyTooLarge, tooManySenders } from "./http.errors.ts";
import type { HttpEnv } from "./http-context.ts";

/** While nobody reads it, a body takes as much memory as the socket gave before it was held back: over a megabyte. */
const MAX_UNREAD = 12;
const SHORT_BYTES = 16 * 1024;
/** Nobody reads a body of these: it would have its place for as long as the answer takes. */
const WITHOUT_BODY = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Bounds the longer bodies that lie unread while it is looked up whether their sender may send them. It answers at once,
 * before anything is waited for.
 * @throws {AppError} 413, 429 with Retry-After
 */
export function boundUnreadBodies(): MiddlewareHandler<HttpEnv> {
  let unread = 0;
  return async (c, next) => {
    if (!hasLongBody(c)) {
      c.set("admitBody", () => {});
      return await next();
    }
    if (WITHOUT_BODY.has(c.req.method)) throw new AppError(bodyTooLarge);
    if (unread >= MAX_UNREAD) throw new AppError(tooManySenders, { retryAfterSeconds: 2 });
    unread++;
    let isUnread = true;
    const admit = () => {
      if (isUnread) unread--;
      isUnread = false;
    };
    c.set("admitBody", admit);
    try {
      await next();
    } finally {
      admit();
    }
  };
}

function hasLongBody(c: Context): boolean {
  const length = c.req.header("content-length");
  if (length === undefined) return c.req.header("transfer-encoding") !== undefined;
  return Number(length) > SHORT_BYTES;
}
