import type { LabStats } from "../../../shared/api/labs.ts";
import type { UsageStats } from "../../../shared/api/subscriptions.ts";
import { lastResetAt, usagePercentage } from "../../../shared/rules/subscription.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { sumStorage } from "./storage.repo.ts";
import { noSubscription } from "./subscriptions.errors.ts";
import { findSubscriptionWithPlan, type SubscriptionRow } from "./subscriptions.repo.ts";

/** @throws {AppError} 404 if the account has no subscription, or only one that was never paid */
export async function readUsage(deps: Pick<Deps, "db" | "clock">, userId: string): Promise<UsageStats> {
  const { subscription, plan } = await findActiveSubscription(deps, userId);
  const storageUsedBytes = await sumStorage(deps.db, userId);
  const { storageBytes } = plan;
  const { downloads, deletes, lastReset } = countersAt(subscription, deps.clock.now());
  const actions = downloads + deletes;
  return {
    planName: plan.name,
    currentExamCount: subscription.examCount,
    examLimit: plan.examLimit,
    examsRemaining: Math.max(0, plan.examLimit - subscription.examCount),
    examUsagePercentage: usagePercentage(subscription.examCount, plan.examLimit),
    totalActionsThisMonth: actions,
    actionLimit: plan.downloadDeleteLimit,
    actionsRemaining: Math.max(0, plan.downloadDeleteLimit - actions),
    actionUsagePercentage: usagePercentage(actions, plan.downloadDeleteLimit),
    downloadsThisMonth: downloads,
    deletesThisMonth: deletes,
    lastResetDate: lastReset.toISOString(),
    storageBytes,
    storageUsedBytes,
    storageRemainingBytes: Math.max(0, storageBytes - storageUsedBytes),
    storageUsagePercentage: usagePercentage(storageUsedBytes, storageBytes),
  };
}

/** @throws {AppError} 404 if the account has no subscription, or only one that was never paid */
export async function readLabUsage(deps: Pick<Deps, "db" | "clock">, userId: string): Promise<LabStats> {
  const { subscription, plan } = await findActiveSubscription(deps, userId);
  const { labActions, lastReset } = countersAt(subscription, deps.clock.now());
  return {
    planName: plan.name,
    currentLabExamCount: subscription.labExamCount,
    labExamLimit: plan.examLimit,
    labExamsRemaining: Math.max(0, plan.examLimit - subscription.labExamCount),
    labActionsThisMonth: labActions,
    labActionLimit: plan.downloadDeleteLimit,
    labActionsRemaining: Math.max(0, plan.downloadDeleteLimit - labActions),
    labActionUsagePercentage: usagePercentage(labActions, plan.downloadDeleteLimit),
    lastResetDate: lastReset.toISOString(),
  };
}

/** The action counters at `now`: the row may still hold those of a period that is over. */
export function countersAt(subscription: SubscriptionRow, now: Date) {
  const lastReset = lastResetAt(subscription.lastResetDate, now);
  const { downloads, deletes, labDownloads, labDeletes, lastResetDate } = subscription;
  return lastReset.getTime() === lastResetDate.getTime()
    ? { downloads, deletes, labActions: labDownloads + labDeletes, lastReset }
    : { downloads: 0, deletes: 0, labActions: 0, lastReset };
}

async function findActiveSubscription(deps: Pick<Deps, "db">, userId: string) {
  const found = await findSubscriptionWithPlan(deps.db, userId);
  // A plan that was chosen but not paid has no usage.
  if (found?.subscription.status !== "active") throw new AppError(noSubscription);
  return found;
}
