import { isInForce } from "../../../shared/rules/subscription.ts";
import type { LinkStanding } from "./visits.repo.ts";

/** Whether a link opens anything now: it has not ended, and its owner may still see their own studies. */
export function isLinkOpen(link: LinkStanding, now: Date): boolean {
  if (link.endedAt || link.expiresAt <= now || !link.isAuthorized) return false;
  if (link.ownerRole === "admin") return true;
  const { subscriptionStatus: status, subscriptionExpiresAt: expiresAt } = link;
  return status !== null && isInForce({ status, expiresAt }, now);
}
