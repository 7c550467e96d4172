import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { RequestMeter } from "../metrics/request-meter.ts";
import type { Logger } from "../runtime/log.ts";
import type { HttpEnv } from "./http-context.ts";

/** Logs and counts each request by its route's pattern, never by its path, which may hold UIDs and tokens. */
export function accessLog(log: Logger, meter: RequestMeter): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const startedAt = performance.now();
    {
      using _open = meter.begin();
      await next();
    }
    const { method } = c.req;
    const { status } = c.res;
    const route = patternOf(c);
    const tookMs = performance.now() - startedAt;
    meter.count(method, route, status, tookMs / 1000);
    log.info("request", {
      requestId: c.get("requestId"),
      method,
      route,
      status,
      durationMs: Math.round(tookMs),
    });
  };
}

/** The pattern of the route that answered, or of the first that a guard kept the request from. Others may match too. */
function patternOf(c: Context): string {
  const routes = matchedRoutes(c);
  const isRoute = ({ path }: { path: string }) => !path.endsWith("*");
  return (routes.slice(c.req.routeIndex).find(isRoute) ?? routes.findLast(isRoute))?.path ?? "*";
}
