import { isOwnerActive } from "../membership/is-owner-active.ts";
import type { LinkStanding } from "./visits.repo.ts";

/** Whether a link opens anything now: it has not ended, and its owner may still see their own studies. */
export function isLinkOpen(link: LinkStanding, now: Date): boolean {
  return !link.endedAt && link.expiresAt > now && isOwnerActive(link, now);
}
