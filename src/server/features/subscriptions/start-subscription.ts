import type { DbOrTx } from "../../db/client.ts";
import { findPlanBySlug, updateSubscription, upsertSubscription } from "./subscriptions.repo.ts";

/** Puts an account on a plan from now on. It never ends if `expiresAt` is null. Counters of a former plan are kept. */
export async function startSubscription(
  db: DbOrTx,
  input: { userId: string; planSlug: string; expiresAt: Date | null; now: Date },
): Promise<void> {
  const plan = await findPlanBySlug(db, input.planSlug);
  if (!plan) throw new Error(`no plan ${input.planSlug}: seedPlans has not run`);
  await upsertSubscription(db, {
    id: Bun.randomUUIDv7(),
    userId: input.userId,
    planId: plan.id,
    status: "active",
    startDate: input.now,
    expiresAt: input.expiresAt,
    lastResetDate: input.now,
  });
}

/** Moves the end of a subscription; null means that it never ends. */
export async function setSubscriptionEnd(db: DbOrTx, userId: string, expiresAt: Date | null): Promise<void> {
  await updateSubscription(db, userId, { expiresAt });
}
