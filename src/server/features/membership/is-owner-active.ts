import { hasActiveSubscription } from "./find-session.ts";
import type { OwnerStanding } from "./owner-standing.repo.ts";

/** Whether an account could use its own exams now, and so those may whom it gave a link or a request. */
export function isOwnerActive(owner: OwnerStanding, now: Date): boolean {
  const { isAuthorized, ownerRole: role, subscriptionStatus, subscriptionExpiresAt: expiresAt } = owner;
  return isAuthorized && hasActiveSubscription({ role, subscriptionStatus, expiresAt }, now);
}
