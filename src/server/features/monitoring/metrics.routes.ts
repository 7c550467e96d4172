import { createHash, timingSafeEqual } from "node:crypto";
import { Hono } from "hono";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HealthChecks } from "../../http/health-checks.ts";
import { notFound, unauthenticated } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { encodeOpenMetrics, OPEN_METRICS_TYPE } from "../../metrics/open-metrics.ts";
import { createCollector } from "./collect.ts";

const describe = describeIn("Operations");

/** `GET /metrics` of this node, for whoever has METRICS_TOKEN; unset, there is no such address. */
export function createMetricsRoutes(
  deps: Pick<Deps, "databaseClock" | "config" | "db" | "disk" | "meters">,
  guard: Guard,
  checks: HealthChecks,
) {
  const { metricsToken } = deps.config;
  const collect = createCollector(deps, checks);
  const routes = new Hono<HttpEnv>().get(
    "/metrics",
    guard("public"),
    describe(
      {},
      {
        summary: "Read the metrics of this node (OpenMetrics)",
        security: "metricsToken",
        media: ["application/openmetrics-text"],
        problems: [unauthenticated, notFound],
      },
    ),
    async (c) => {
      if (metricsToken === undefined) throw new AppError(notFound);
      if (!isBearer(c.req.header("authorization"), metricsToken)) {
        throw new AppError(unauthenticated, { headers: { "WWW-Authenticate": "Bearer" } });
      }
      c.header("Cache-Control", "no-store");
      c.header("Content-Type", OPEN_METRICS_TYPE);
      return c.body(encodeOpenMetrics(await collect()));
    },
  );
  // A 405 would say that there is one.
  if (metricsToken === undefined)
    routes.all("/metrics", () => {
      throw new AppError(notFound);
    });
  return routes;
}

/** Takes the same time whatever was sent: digests are compared. */
function isBearer(authorization: string | undefined, token: string): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(digest(sent), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
