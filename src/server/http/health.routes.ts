import { Hono } from "hono";
import { ping } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { settlesWithin } from "../settles-within.ts";
import type { Guard } from "./guard.ts";
import type { HttpEnv } from "./http-context.ts";

const CHECK_TIMEOUT_MS = 5_000;

/** `GET /api/health`: 200 when database and store answer, else 503 naming the part that doesn't. */
export function createHealthRoutes(deps: Pick<Deps, "db" | "store">, guard: Guard) {
  return new Hono<HttpEnv>().get("/health", guard("public"), async (c) => {
    const [database, store] = await Promise.all([answers(ping(deps.db)), answers(deps.store.check())]);
    const isReady = database && store;
    c.header("Cache-Control", "no-store");
    return c.json({ status: isReady ? "ok" : "unavailable", database, store }, isReady ? 200 : 503);
  });
}

async function answers(check: Promise<unknown>): Promise<boolean> {
  return await settlesWithin(check, CHECK_TIMEOUT_MS).catch(() => false);
}
