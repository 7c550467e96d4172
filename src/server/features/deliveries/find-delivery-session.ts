import { DELIVERY_DAYS_AFTER_EXPIRY } from "../../../shared/api/deliveries.ts";
import { addDays } from "../../../shared/rules/days.ts";
import type { Deps } from "../../deps.ts";
import type { Session } from "../../http/session.ts";
import { hashSecret } from "../accounts/mailed-links/secrets.ts";
import { isOwnerActive } from "../membership/is-owner-active.ts";
import { findDeliveryByToken } from "./deliveries.repo.ts";

/**
 * The session of a delivery's token, which the guard lets into nothing but uploads. Undefined once it can do nothing any more: the
 * request was ended before anything came, or is long over, or its owner may receive nothing.
 */
export async function findDeliverySession(
  { db, clock }: Pick<Deps, "db" | "clock">,
  token: string,
): Promise<Session | undefined> {
  const found = await findDeliveryByToken(db, hashSecret(token));
  const now = clock.now();
  if (!found || !isOwnerActive(found.owner, now)) return undefined;
  const { id, accountId, sender, isTrial, receivedAt, expiresAt, endedAt } = found;
  if (endedAt !== null && receivedAt === null) return undefined;
  if (addDays(expiresAt, DELIVERY_DAYS_AFTER_EXPIRY) <= now) return undefined;
  return {
    id,
    userId: accountId,
    role: "user",
    hasActiveSubscription: true,
    isTrial,
    delivery: { id, from: sender },
  };
}
