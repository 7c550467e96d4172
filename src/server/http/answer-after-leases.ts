import type { MiddlewareHandler } from "hono";
import { leasesEnded } from "../db/leased-statement.ts";

const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Holds the answer to every request that may end somebody's access until no node answers from before it. A refusal is held too:
 * the tenth wrong passcode ends its link.
 */
export function answerAfterLeases(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    if (!READING.has(c.req.method)) await leasesEnded();
  };
}
