import type { OfferedPlan, Subscription } from "../../../shared/api/subscriptions.ts";
import { boughtPeriod } from "../../../shared/rules/subscription.ts";

/** The effect of a payment on the present subscription. */
export type PurchaseEffect =
  | { kind: "extends" | "starts"; end: string }
  /** `oldEnd` is null for a plan that never ends. */
  | { kind: "replaces"; end: string; oldName: string; oldEnd: string | null };

/** The effect of a payment made `now`. */
export function effectOfPurchase(
  plan: OfferedPlan,
  subscription: Subscription | null,
  now: Date,
): PurchaseEffect {
  const expiresAt = subscription?.expiresAt ? new Date(subscription.expiresAt) : null;
  const isInForce = subscription?.status === "active" && (expiresAt === null || expiresAt > now);
  const current = isInForce
    ? { planId: subscription.plan.id, status: "active" as const, expiresAt }
    : undefined;
  const end = boughtPeriod(current, plan.id, plan.periodDays, now).end.toISOString();
  if (!isInForce) return { kind: "starts", end };
  if (subscription.plan.id === plan.id) return { kind: "extends", end };
  return { kind: "replaces", end, oldName: subscription.plan.name, oldEnd: subscription.expiresAt };
}
