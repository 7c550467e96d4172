import { Hono } from "hono";
import * as z from "zod/mini";
import { pageLimitSchema } from "../../../shared/api/page-limit.ts";
import { choosePlanSchema, planChangeSchema, type UsageItem } from "../../../shared/api/subscriptions.ts";
import type { Deps } from "../../deps.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { readSubscription } from "../overview/read-subscription.ts";
import { readAccountSubscriptions, readSummary } from "../overview/read-summary.ts";
import { cancelSubscription } from "../removals/cancel-subscription.ts";
import { listOpenRemovals } from "../removals/list-open-removals.ts";
import { undoRemoval } from "../removals/undo-removal.ts";
import { changePlan } from "./change-plan.ts";
import { choosePlan } from "./choose-plan.ts";
import { presentOfferedPlan } from "./present-plan.ts";
import { readUsage } from "./read-usage.ts";
import { listOfferedPlans } from "./subscriptions.repo.ts";
import { listUsageEvents } from "./usage-events.repo.ts";

const admin = { roles: ["admin"] } as const;
const idSchema = z.object({ id: z.string().check(z.uuid()) });

export function createSubscriptionsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get("/subscriptions/usage-stats", guard({}), async (c) =>
    c.json(await readUsage(deps, c.get("session").userId)),
  );

  routes.get("/subscriptions/my-subscription", guard({}), async (c) =>
    c.json(await readSubscription(deps, c.get("session").userId)),
  );

  routes.get("/subscriptions/usage-history", guard({}), validate("query", pageLimitSchema), async (c) => {
    const events = await listUsageEvents(deps.db, c.get("session").userId, c.req.valid("query").limit);
    return c.json(
      events.map(({ id, actionType, studyInstanceUID, timestamp }): UsageItem => {
        return { id: String(id), actionType, studyInstanceUID, timestamp: timestamp.toISOString() };
      }),
    );
  });

  routes.get("/subscriptions/plans", guard({}), async (c) =>
    c.json((await listOfferedPlans(deps.db)).map(presentOfferedPlan)),
  );

  routes.patch(
    "/subscriptions/plans/:id",
    guard(admin),
    validate("param", idSchema),
    validate("json", planChangeSchema),
    async (c) => {
      const { id } = c.req.valid("param");
      return c.json(await changePlan(deps, c.get("session"), id, c.req.valid("json"), originOf(c)));
    },
  );

  routes.post("/subscriptions/cancel", guard({}), async (c) =>
    c.json(await cancelSubscription(deps, c.get("session"), originOf(c))),
  );

  routes.get("/subscriptions/removals", guard(admin), async (c) => c.json(await listOpenRemovals(deps)));

  routes.post("/subscriptions/removals/:id/undo", guard(admin), validate("param", idSchema), async (c) =>
    c.json(await undoRemoval(deps, c.get("session"), c.req.valid("param").id, originOf(c))),
  );

  routes.get("/subscriptions/all", guard(admin), async (c) => c.json(await readAccountSubscriptions(deps)));

  routes.get("/subscriptions/summary", guard(admin), async (c) => c.json(await readSummary(deps)));

  routes.post("/subscriptions/subscribe", guard(admin), validate("json", choosePlanSchema), async (c) => {
    const { planId } = c.req.valid("json");
    return c.json(await choosePlan(deps, c.get("session").userId, planId, originOf(c)));
  });

  return routes;
}
