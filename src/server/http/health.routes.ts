import { Hono } from "hono";
import { healthCall } from "../../shared/api/health.ts";
import { describeIn } from "./describe.ts";
import type { Guard } from "./guard.ts";
import type { HealthChecks } from "./health-checks.ts";
import type { HttpEnv } from "./http-context.ts";

const describe = describeIn("Operations");

/**
 * `GET /api/health`: 200 if every part answers, else 503 with the names of those that don't. Anyone may ask. Uploads may be
 * refused on a node that is ready: all the rest goes on there.
 */
export function createHealthRoutes(checks: HealthChecks, guard: Guard) {
  return new Hono<HttpEnv>().get(
    healthCall.path,
    guard("public"),
    describe(healthCall, {
      summary: "Ask whether the server is ready",
      also: { 503: "The same body; a part does not answer." },
    }),
    async (c) => {
      const [database, store, disk, uploads] = await Promise.all([
        checks.database.isUp(),
        checks.store.isUp(),
        checks.disk.isUp(),
        checks.uploads.isUp(),
      ]);
      const isReady = database && store && disk;
      c.header("Cache-Control", "no-store");
      return c.json(
        { status: isReady ? "ok" : "unavailable", database, store, disk, uploads },
        isReady ? 200 : 503,
      );
    },
  );
}
