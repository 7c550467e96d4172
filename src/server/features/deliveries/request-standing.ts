import { isInForce } from "../../../shared/rules/subscription.ts";
import type { RequestRow } from "./deliveries.table.ts";
import type { OwnerStanding } from "./requests.repo.ts";

/** Whether the owner of a request may receive anything now. */
export function mayReceive(owner: OwnerStanding, now: Date): boolean {
  if (!owner.isAuthorized) return false;
  if (owner.ownerRole === "admin") return true;
  const { subscriptionStatus: status, subscriptionExpiresAt: expiresAt } = owner;
  return status !== null && isInForce({ status, expiresAt }, now);
}

/** Whether a delivery may begin now. */
export function isRequestOpen(
  { request, owner }: { request: RequestRow; owner: OwnerStanding },
  now: Date,
): boolean {
  const { endedAt, expiresAt, used, uses } = request;
  return endedAt === null && expiresAt > now && used < uses && mayReceive(owner, now);
}
