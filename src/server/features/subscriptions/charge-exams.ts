import type { DbOrTx } from "../../db/client.ts";
import { AppError } from "../../http/app-error.ts";
import { subscriptionRequired } from "../../http/guard.ts";
import { isInForce } from "./subscription-rules.ts";
import { examLimitReached, trialLimitReached } from "./subscriptions.errors.ts";
import { findSubscriptionWithPlan, tryAddExams } from "./subscriptions.repo.ts";

/**
 * Takes `count` exams off the account's plan, inside the transaction that stores them; admins are exempt.
 * @throws {AppError} `quota.trial`, `quota.exams`, `subscription.required`
 */
export async function chargeExams(
  tx: DbOrTx,
  account: { userId: string; isAdmin: boolean },
  count: number,
  now: Date,
): Promise<void> {
  if (account.isAdmin || count === 0) return;
  if (await tryAddExams(tx, account.userId, count, now)) return;
  const found = await findSubscriptionWithPlan(tx, account.userId);
  if (!found || !isInForce(found.subscription, now)) throw new AppError(subscriptionRequired);
  const isTrial = found.plan.slug === "avaliacao";
  throw new AppError(isTrial ? trialLimitReached : examLimitReached, {
    values: { count: found.subscription.examCount },
  });
}
