import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { planNotFound } from "./subscriptions.errors.ts";
import { findOfferedPlan, findSubscription, putOnPlan } from "./subscriptions.repo.ts";

/**
 * Puts an admin on a plan, without payment or end.
 * @throws {AppError} `plan.not_found`
 */
export async function choosePlan(
  deps: Pick<Deps, "db" | "clock">,
  userId: string,
  planId: string,
  origin: RequestOrigin,
): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    const plan = await findOfferedPlan(tx, planId);
    if (!plan) throw new AppError(planNotFound);
    const current = await findSubscription(tx, userId);
    await putOnPlan(tx, { userId, planId, expiresAt: null, now, resetsCounters: current?.planId !== planId });
    await recordAudit(tx, {
      at: now,
      action: "subscription.chosen",
      actorId: userId,
      accountId: userId,
      details: { plan: plan.slug },
      ...origin,
    });
  });
}
