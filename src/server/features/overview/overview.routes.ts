import { Hono } from "hono";
import { listNotificationsCall } from "../../../shared/api/notifications.ts";
import {
  cancelSubscriptionCall,
  choosePlanCall,
  listSubscriptionsCall,
  mySubscriptionCall,
  subscriptionSummaryCall,
  usageHistoryCall,
} from "../../../shared/api/subscriptions.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { sayTotal, totalCount } from "../../http/total-count.ts";
import { validate } from "../../http/validate.ts";
import { cancelSubscription } from "../removals/cancel-subscription.ts";
import { choosePlan } from "../subscriptions/choose-plan.ts";
import {
  noSubscription,
  planNotFound,
  planTooSmall,
  subscriptionNotActive,
} from "../subscriptions/subscriptions.errors.ts";
import { readNotifications } from "./read-notifications.ts";
import { readSubscription } from "./read-subscription.ts";
import { readAccountSubscriptions, readSummary } from "./read-summary.ts";
import { readUsageHistory } from "./read-usage-history.ts";

const admin = { roles: ["admin"] } as const;
const describe = describeIn("Subscriptions");

/** Routes of the subscription as its owner sees it, with payments and removals, and of the admin's view of all subscriptions. */
export function createOverviewRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get(
    mySubscriptionCall.path,
    guard({ scope: "api" }),
    describe(mySubscriptionCall, { summary: "Read one's own subscription", problems: [noSubscription] }),
    async (c) => c.json(await readSubscription(deps, c.get("session").userId)),
  );

  routes.get(
    usageHistoryCall.path,
    guard({ scope: "api" }),
    describe(usageHistoryCall, {
      summary: "Read what was uploaded, downloaded and deleted",
      details: "Newest first.",
    }),
    validate("query", usageHistoryCall.query),
    async (c) => c.json(await readUsageHistory(deps, c.get("session"), c.req.valid("query").limit)),
  );

  routes.post(
    cancelSubscriptionCall.path,
    guard({}),
    describe(cancelSubscriptionCall, {
      summary: "Cancel one's own subscription, and remove its exams",
      details: "An admin can bring them back for 72 hours.",
      problems: [noSubscription, subscriptionNotActive],
    }),
    async (c) => {
      const session = c.get("session");
      await cancelSubscription(deps, session, originOf(c));
      return c.json(await readSubscription(deps, session.userId));
    },
  );

  routes.get(
    listSubscriptionsCall.path,
    guard(admin),
    describe(listSubscriptionsCall, {
      summary: "List everybody's subscriptions",
      details: "Newest first. Without `limit` all come, up to 10,000.",
      headers: totalCount,
    }),
    validate("query", listSubscriptionsCall.query),
    async (c) => {
      const { subscriptions, total } = await readAccountSubscriptions(deps, c.req.valid("query"));
      sayTotal(c, total);
      return c.json(subscriptions);
    },
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
      const { userId } = c.get("session");
      await choosePlan(deps, userId, c.req.valid("json").planId, originOf(c));
      return c.json(await readSubscription(deps, userId));
    },
  );

  routes.get(
    listNotificationsCall.path,
    guard({}),
    describeIn("Notifications")(listNotificationsCall, {
      summary: "List what the caller is told",
      details: "Newest first, at most a hundred.",
    }),
    async (c) => {
      c.header("Cache-Control", "private, no-store");
      return c.json(await readNotifications(deps, c.get("session")));
    },
  );

  return routes;
}
