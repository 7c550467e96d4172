import { Hono } from "hono";
import * as z from "zod/mini";
import { describeIn } from "./describe.ts";
import type { Guard } from "./guard.ts";
import type { HealthChecks } from "./health-checks.ts";
import type { HttpEnv } from "./http-context.ts";

const describe = describeIn("Operations");
const healthSchema = z.object({
  status: z.enum(["ok", "unavailable"]),
  database: z.boolean(),
  store: z.boolean(),
  disk: z.boolean(),
  /** Whether the disk has room for uploads, and the store takes them. A node that only refuses uploads is ready. */
  uploads: z.boolean(),
});

/**
 * `GET /api/health`: 200 if every part answers, else 503 with the names of those that don't. Anyone may ask. Uploads may be
 * refused on a node that is ready: all the rest goes on there.
 */
export function createHealthRoutes(checks: HealthChecks, guard: Guard) {
  return new Hono<HttpEnv>().get(
    "/api/health",
    guard("public"),
    describe(
      { answer: healthSchema },
      { summary: "Ask whether the server is ready", also: { 503: "The same body; a part does not answer." } },
    ),
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
