import { Hono } from "hono";
import * as z from "zod/mini";
import {
  cancelSubscriptionCall,
  changePlanCall,
  choosePlanCall,
  listPlansCall,
  listRemovalsCall,
  listSubscriptionsCall,
  mySubscriptionCall,
  subscriptionSummaryCall,
  type UsageItem,
  undoRemovalCall,
  usageHistoryCall,
  usageStatsCall,
} from "../../../shared/api/subscriptions.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { readSubscription } from "../overview/read-subscription.ts";
import { readAccountSubscriptions, readSummary } from "../overview/read-summary.ts";
import { cancelSubscription } from "../removals/cancel-subscription.ts";
import { listOpenRemovals } from "../removals/list-open-removals.ts";
import { removalNotFound, removalOver } from "../removals/removals.errors.ts";
import { undoRemoval } from "../removals/undo-removal.ts";
import { changePlan } from "./change-plan.ts";
import { choosePlan } from "./choose-plan.ts";
import { presentOfferedPlan } from "./present-plan.ts";
import { readUsage } from "./read-usage.ts";
import {
  noSubscription,
  planNotFound,
  planNotOfferable,
  planTooSmall,
  subscriptionNotActive,
} from "./subscriptions.errors.ts";
import { listOfferedPlans } from "./subscriptions.repo.ts";
import { listUsageEvents } from "./usage-events.repo.ts";

const admin = { roles: ["admin"] } as const;
const describe = describeIn("Subscriptions");
const idSchema = z.object({ id: z.string().check(z.uuid()) });

export function createSubscriptionsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get(
    usageStatsCall.path,
    guard({}),
    describe(usageStatsCall, {
      summary: "Read what is used and left of one's own plan",
      problems: [noSubscription],
    }),
    async (c) => c.json(await readUsage(deps, c.get("session").userId)),
  );

  routes.get(
    mySubscriptionCall.path,
    guard({}),
    describe(mySubscriptionCall, { summary: "Read one's own subscription", problems: [noSubscription] }),
    async (c) => c.json(await readSubscription(deps, c.get("session").userId)),
  );

  routes.get(
    usageHistoryCall.path,
    guard({}),
    describe(usageHistoryCall, {
      summary: "Read what was uploaded, downloaded and deleted",
      details: "Newest first.",
    }),
    validate("query", usageHistoryCall.query),
    async (c) => {
      const events = await listUsageEvents(deps.db, c.get("session").userId, c.req.valid("query").limit);
      return c.json(
        events.map(({ id, actionType, studyInstanceUID, timestamp }): UsageItem => {
          return { id: String(id), actionType, studyInstanceUID, timestamp: timestamp.toISOString() };
        }),
      );
    },
  );

  routes.get(
    listPlansCall.path,
    guard({}),
    describe(listPlansCall, { summary: "List the plans on offer" }),
    async (c) => c.json((await listOfferedPlans(deps.db)).map(presentOfferedPlan)),
  );

  routes.patch(
    changePlanCall.path,
    guard(admin),
    describe(changePlanCall, { summary: "Change a plan", problems: [planNotFound, planNotOfferable] }),
    validate("param", idSchema),
    validate("json", changePlanCall.body),
    async (c) => {
      const { id } = c.req.valid("param");
      return c.json(await changePlan(deps, c.get("session"), id, c.req.valid("json"), originOf(c)));
    },
  );

  routes.post(
    cancelSubscriptionCall.path,
    guard({}),
    describe(cancelSubscriptionCall, {
      summary: "Cancel one's own subscription, and remove its exams",
      details: "An admin can bring them back for 72 hours.",
      problems: [noSubscription, subscriptionNotActive],
    }),
    async (c) => c.json(await cancelSubscription(deps, c.get("session"), originOf(c))),
  );

  routes.get(
    listRemovalsCall.path,
    guard(admin),
    describe(listRemovalsCall, { summary: "List removed exams that can be brought back" }),
    async (c) => c.json(await listOpenRemovals(deps)),
  );

  routes.post(
    undoRemovalCall.path,
    guard(admin),
    describe(undoRemovalCall, {
      summary: "Bring removed exams back",
      problems: [removalNotFound, removalOver],
    }),
    validate("param", idSchema),
    async (c) => c.json(await undoRemoval(deps, c.get("session"), c.req.valid("param").id, originOf(c))),
  );

  routes.get(
    listSubscriptionsCall.path,
    guard(admin),
    describe(listSubscriptionsCall, { summary: "List everybody's subscriptions" }),
    async (c) => c.json(await readAccountSubscriptions(deps)),
  );

  routes.get(
    subscriptionSummaryCall.path,
    guard(admin),
    describe(subscriptionSummaryCall, { summary: "Read accounts, plans and revenue in figures" }),
    async (c) => c.json(await readSummary(deps)),
  );

  routes.post(
    choosePlanCall.path,
    guard(admin),
    describe(choosePlanCall, {
      summary: "Choose a plan without a payment",
      problems: [planNotFound, planTooSmall],
    }),
    validate("json", choosePlanCall.body),
    async (c) => {
      const { planId } = c.req.valid("json");
      return c.json(await choosePlan(deps, c.get("session").userId, planId, originOf(c)));
    },
  );

  return routes;
}
