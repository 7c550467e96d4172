import { Hono } from "hono";
import { ping } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import type { Guard } from "./guard.ts";
import type { HttpEnv } from "./http-context.ts";
import { createSharedCheck } from "./shared-check.ts";

/** `GET /api/health`: 200 when every part answers, else 503 naming those that don't. Anyone may ask, so asking is cheap. */
export function createHealthRoutes(deps: Pick<Deps, "db" | "disk" | "store">, guard: Guard) {
  const checks = {
    database: createSharedCheck(() => ping(deps.db)),
    store: createSharedCheck(() => deps.store.check()),
    disk: createSharedCheck(() => deps.disk.check()),
  };
  return new Hono<HttpEnv>().get("/health", guard("public"), async (c) => {
    const [database, store, disk] = await Promise.all([checks.database(), checks.store(), checks.disk()]);
    const isReady = database && store && disk;
    c.header("Cache-Control", "no-store");
    return c.json({ status: isReady ? "ok" : "unavailable", database, store, disk }, isReady ? 200 : 503);
  });
}
