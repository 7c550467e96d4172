import type { Subscription } from "../../../shared/api/subscriptions.ts";
import { isInForce } from "../../../shared/rules/subscription.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { findOpenPayment } from "../payments/payments.repo.ts";
import { readKeptUntil } from "../removals/read-kept-until.ts";
import { findOpenRemoval } from "../removals/removals.repo.ts";
import { findCancelledAccounts } from "../subscriptions/cancellations.repo.ts";
import { presentPlan } from "../subscriptions/present-plan.ts";
import { countersAt } from "../subscriptions/read-usage.ts";
import { sumStorage } from "../subscriptions/storage.repo.ts";
import { noSubscription } from "../subscriptions/subscriptions.errors.ts";
import {
  findSubscriptionWithPlan,
  type PlanRow,
  type SubscriptionRow,
} from "../subscriptions/subscriptions.repo.ts";

/**
 * The caller's subscription: `pending` while its Pix is open, `expired` once it is over.
 * @throws {AppError} 404 if the account has no subscription, or only one that was never paid
 */
export async function readSubscription(
  deps: Pick<Deps, "db" | "clock">,
  userId: string,
): Promise<Subscription> {
  const { db, clock } = deps;
  const now = clock.now();
  const found = await findSubscriptionWithPlan(db, userId);
  const payment = await findOpenPayment(db, userId, now);
  if (!found || (found.subscription.status === "pending" && !payment)) throw new AppError(noSubscription);
  const removal = await findOpenRemoval(db, userId);
  const cancelled = await findCancelledAccounts(db, [userId]);
  return presentSubscription(found.subscription, found.plan, now, {
    openPaymentId: payment?.id ?? null,
    removedUntil: removal?.purgeAfter ?? null,
    keptUntil: await readKeptUntil(db, found.subscription, found.plan, now),
    isCancelled: cancelled.has(userId),
    storageUsedBytes: await sumStorage(db, userId),
  });
}

/** What other tables know of a subscription. */
interface SubscriptionSurroundings {
  openPaymentId: string | null;
  removedUntil: Date | null;
  keptUntil: Date | null;
  isCancelled: boolean;
  storageUsedBytes: number;
}

export function presentSubscription(
  subscription: SubscriptionRow,
  plan: PlanRow,
  now: Date,
  around: SubscriptionSurroundings,
): Subscription {
  const { downloads, deletes } = countersAt(subscription, now);
  const isActive = isInForce(subscription, now);
  const expiresAt = subscription.expiresAt?.toISOString() ?? null;
  return {
    id: subscription.id,
    status: isActive ? "active" : around.openPaymentId !== null ? "pending" : "expired",
    plan: presentPlan(plan),
    startDate: subscription.startDate.toISOString(),
    expiresAt,
    currentExamCount: subscription.examCount,
    storageUsedBytes: around.storageUsedBytes,
    downloadsThisMonth: downloads,
    deletesThisMonth: deletes,
    canCancel: isActive,
    cancelledAt: around.isCancelled && !isActive ? expiresAt : null,
    removedUntil: around.removedUntil?.toISOString() ?? null,
    keptUntil: around.keptUntil?.toISOString() ?? null,
    openPaymentId: around.openPaymentId,
  };
}
