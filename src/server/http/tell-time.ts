import type { MiddlewareHandler } from "hono";
import type { Clock } from "../runtime/clock.ts";
import type { HttpEnv } from "./http-context.ts";

/** Tells browsers the time by which the server judges what has ended; the runtime would tell this machine's. */
export function tellTime(clock: Clock): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    await next();
    if (c.req.path.startsWith("/api/")) c.res.headers.set("Date", clock.now().toUTCString());
  };
}
