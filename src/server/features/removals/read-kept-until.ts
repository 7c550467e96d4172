import { isInForce } from "../../../shared/rules/subscription.ts";
import type { DbOrTx } from "../../db/client.ts";
import { findNoticesFor } from "../subscriptions/notices.repo.ts";
import type { PlanRow, SubscriptionRow } from "../subscriptions/subscriptions.repo.ts";
import { removalDueAt, type WarningDays, warningDays } from "./lapse-schedule.ts";

/** When each warning was sent that the exams of a subscription that ended at `endedAt` are going to be removed. */
export async function readLapseWarnings(
  db: DbOrTx,
  userId: string,
  endedAt: Date,
): Promise<Map<WarningDays, Date>> {
  const sent = await findNoticesFor(db, userId, endedAt);
  return new Map(
    warningDays.flatMap((days) => {
      const at = sent.get(`removal.${days}`);
      return at ? [[days, at] as const] : [];
    }),
  );
}

/** Until when the exams of a subscription that is over are kept; null if it has none, or if they are kept without end. */
export async function readKeptUntil(
  db: DbOrTx,
  subscription: SubscriptionRow,
  plan: PlanRow,
  now: Date,
): Promise<Date | null> {
  const { userId, expiresAt: endedAt, examCount, labExamCount } = subscription;
  if (!endedAt || isInForce(subscription, now) || plan.slug === "cortesia") return null;
  if (examCount + labExamCount === 0) return null;
  return removalDueAt(endedAt, await readLapseWarnings(db, userId, endedAt), now);
}
