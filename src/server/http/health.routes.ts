import { sql } from "drizzle-orm";
import { Hono } from "hono";
import type { Deps } from "../deps.ts";
import type { Guard } from "./guard.ts";
import type { HttpEnv } from "./http-context.ts";

const CHECK_TIMEOUT_MS = 5_000;

/** `GET /api/health`: 200 when database and store answer, else 503 naming the part that doesn't. */
export function createHealthRoutes(deps: Pick<Deps, "db" | "store">, guard: Guard) {
  return new Hono<HttpEnv>().get("/health", guard("public"), async (c) => {
    const [database, store] = await Promise.all([
      answers(deps.db.execute(sql`select 1`)),
      answers(deps.store.check()),
    ]);
    const isReady = database && store;
    c.header("Cache-Control", "no-store");
    return c.json({ status: isReady ? "ok" : "unavailable", database, store }, isReady ? 200 : 503);
  });
}

async function answers(check: PromiseLike<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), CHECK_TIMEOUT_MS);
  const isThere = check.then(
    () => true,
    () => false,
  );
  return await Promise.race([isThere, late.promise]).finally(() => clearTimeout(timer));
}
