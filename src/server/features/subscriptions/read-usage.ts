import type { LabStats } from "../../../shared/api/labs.ts";
import type { Subscription, UsageStats } from "../../../shared/api/subscriptions.ts";
import type { Deps } from "../../deps.ts";
import { AppError, type ErrorKind } from "../../http/app-error.ts";
import { isInForce } from "./subscription-rules.ts";
import {
  actionPeriodDays,
  findSubscriptionWithPlan,
  type PlanRow,
  type SubscriptionRow,
} from "./subscriptions.repo.ts";

export const noSubscription: ErrorKind = {
  status: 404,
  code: "subscription.not_found",
  text: /*i18n*/ { id: "error.subscription.not_found", message: "You have no subscription." },
};

/** @throws {AppError} 404 where the account has none */
export async function readUsage(deps: Pick<Deps, "db" | "clock">, userId: string): Promise<UsageStats> {
  const { subscription, plan } = await find(deps, userId);
  const { downloads, deletes, lastReset } = countersNow(subscription, deps.clock.now());
  const actions = downloads + deletes;
  return {
    planName: plan.name,
    currentExamCount: subscription.examCount,
    examLimit: plan.examLimit,
    examsRemaining: Math.max(0, plan.examLimit - subscription.examCount),
    examUsagePercentage: percentage(subscription.examCount, plan.examLimit),
    totalActionsThisMonth: actions,
    actionLimit: plan.downloadDeleteLimit,
    actionsRemaining: Math.max(0, plan.downloadDeleteLimit - actions),
    actionUsagePercentage: percentage(actions, plan.downloadDeleteLimit),
    downloadsThisMonth: downloads,
    deletesThisMonth: deletes,
    lastResetDate: lastReset.toISOString(),
  };
}

/** @throws {AppError} 404 where the account has none */
export async function readLabUsage(deps: Pick<Deps, "db" | "clock">, userId: string): Promise<LabStats> {
  const { subscription, plan } = await find(deps, userId);
  const { labActions, lastReset } = countersNow(subscription, deps.clock.now());
  return {
    planName: plan.name,
    currentLabExamCount: subscription.labExamCount,
    labExamLimit: plan.examLimit,
    labExamsRemaining: Math.max(0, plan.examLimit - subscription.labExamCount),
    labActionsThisMonth: labActions,
    labActionLimit: plan.downloadDeleteLimit,
    labActionsRemaining: Math.max(0, plan.downloadDeleteLimit - labActions),
    labActionUsagePercentage: percentage(labActions, plan.downloadDeleteLimit),
    lastResetDate: lastReset.toISOString(),
  };
}

/** @throws {AppError} 404 where the account has none */
export async function readSubscription(
  deps: Pick<Deps, "db" | "clock">,
  userId: string,
): Promise<Subscription> {
  const now = deps.clock.now();
  const { subscription, plan } = await find(deps, userId);
  const { downloads, deletes } = countersNow(subscription, now);
  const isActive = isInForce(subscription, now);
  return {
    id: subscription.id,
    status: isActive ? "active" : subscription.status === "pending" ? "pending" : "expired",
    plan: presentPlan(plan),
    startDate: subscription.startDate.toISOString(),
    expiresAt: subscription.expiresAt?.toISOString() ?? null,
    currentExamCount: subscription.examCount,
    downloadsThisMonth: downloads,
    deletesThisMonth: deletes,
  };
}

async function find(deps: Pick<Deps, "db">, userId: string) {
  const found = await findSubscriptionWithPlan(deps.db, userId);
  if (!found) throw new AppError(noSubscription);
  return found;
}

function presentPlan({ id, name, priceCents, examLimit, downloadDeleteLimit }: PlanRow) {
  return { id, name, price: priceCents, examLimit, downloadDeleteLimit };
}

/** The counters as they stand now: a period that is over has not been counted down in the row yet. */
function countersNow(subscription: SubscriptionRow, now: Date) {
  const periodMs = actionPeriodDays * 24 * 3600_000;
  const periods = Math.floor((now.getTime() - subscription.lastResetDate.getTime()) / periodMs);
  if (periods < 1) {
    const { downloads, deletes, labDownloads, labDeletes, lastResetDate } = subscription;
    return { downloads, deletes, labActions: labDownloads + labDeletes, lastReset: lastResetDate };
  }
  const lastReset = new Date(subscription.lastResetDate.getTime() + periods * periodMs);
  return { downloads: 0, deletes: 0, labActions: 0, lastReset };
}

function percentage(used: number, limit: number): number {
  return limit === 0 ? 100 : Math.round((used / limit) * 100);
}
