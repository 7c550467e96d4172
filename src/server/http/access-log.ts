import type { MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Logger } from "../log.ts";
import type { HttpEnv } from "./http-context.ts";

/** One line a request: the route's pattern, never its path, which may carry UIDs and tokens. */
export function accessLog(log: Logger): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const startedAt = performance.now();
    await next();
    log.info("request", {
      requestId: c.get("requestId"),
      method: c.req.method,
      route: matchedRoutes(c).findLast(({ path }) => !path.endsWith("*"))?.path ?? "*",
      status: c.res.status,
      durationMs: Math.round(performance.now() - startedAt),
    });
  };
}
