import { Hono } from "hono";
import { changePlanCall, listPlansCall, usageStatsCall } from "../../../shared/api/subscriptions.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate, validateId } from "../../http/validate.ts";
import { changePlan } from "./change-plan.ts";
import { presentOfferedPlan } from "./present-plan.ts";
import { readUsage } from "./read-usage.ts";
import { noSubscription, planNotFound, planNotOfferable } from "./subscriptions.errors.ts";
import { listOfferedPlans } from "./subscriptions.repo.ts";

const admin = { roles: ["admin"] } as const;
const describe = describeIn("Subscriptions");

export function createSubscriptionsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get(
    usageStatsCall.path,
    guard({ scope: "api" }),
    describe(usageStatsCall, {
      summary: "Read what is used and left of one's own plan",
      problems: [noSubscription],
    }),
    async (c) => c.json(await readUsage(deps, c.get("session").userId)),
  );

  routes.get(
    listPlansCall.path,
    guard({ scope: "api" }),
    describe(listPlansCall, { summary: "List the plans on offer" }),
    async (c) => c.json((await listOfferedPlans(deps.db)).map(presentOfferedPlan)),
  );

  routes.patch(
    changePlanCall.path,
    guard(admin),
    describe(changePlanCall, { summary: "Change a plan", problems: [planNotFound, planNotOfferable] }),
    validateId(planNotFound),
    validate("json", changePlanCall.body),
    async (c) => {
      const { id } = c.req.valid("param");
      return c.json(await changePlan(deps, c.get("session"), id, c.req.valid("json"), originOf(c)));
    },
  );

  return routes;
}
