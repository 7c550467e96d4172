import { Hono } from "hono";
import type { Deps } from "../../deps.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { readSubscription, readUsage } from "./read-usage.ts";

export function createSubscriptionsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();
  routes.get("/subscriptions/usage-stats", guard({}), async (c) =>
    c.json(await readUsage(deps, c.get("session").userId)),
  );
  routes.get("/subscriptions/my-subscription", guard({}), async (c) =>
    c.json(await readSubscription(deps, c.get("session").userId)),
  );
  return routes;
}
