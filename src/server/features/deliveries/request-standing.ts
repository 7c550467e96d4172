import { isOwnerActive } from "../membership/is-owner-active.ts";
import type { OwnerStanding } from "../membership/owner-standing.repo.ts";
import type { RequestRow } from "./deliveries.table.ts";

/** Whether a delivery may begin now. */
export function isRequestOpen(
  { request, owner }: { request: RequestRow; owner: OwnerStanding },
  now: Date,
): boolean {
  const { endedAt, expiresAt, used, uses } = request;
  return endedAt === null && expiresAt > now && used < uses && isOwnerActive(owner, now);
}
