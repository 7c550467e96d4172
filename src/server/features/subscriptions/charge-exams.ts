import { isInForce } from "../../../shared/rules/subscription.ts";
import type { DbOrTx } from "../../db/client.ts";
import { AppError } from "../../http/app-error.ts";
import { subscriptionRequired } from "../../http/guard.ts";
import { examLimitReached, trialLimitReached } from "./subscriptions.errors.ts";
import { type ExamKind, findSubscriptionWithPlan, tryAddExams } from "./subscriptions.repo.ts";

/**
 * Takes exams off the account's plan, inside the transaction that stores them; admins are exempt.
 * @throws {AppError} `quota.trial`, `quota.exams`, `subscription.required`
 */
export async function chargeExams(
  tx: DbOrTx,
  account: { userId: string; isAdmin: boolean },
  exams: { kind: ExamKind; count: number },
  now: Date,
): Promise<void> {
  const { kind, count } = exams;
  if (account.isAdmin || count === 0) return;
  if (await tryAddExams(tx, account.userId, kind, count, now)) return;
  const found = await findSubscriptionWithPlan(tx, account.userId);
  if (!found || !isInForce(found.subscription, now)) throw new AppError(subscriptionRequired);
  const isTrial = found.plan.slug === "avaliacao";
  throw new AppError(isTrial ? trialLimitReached : examLimitReached, {
    values: { count: kind === "lab" ? found.subscription.labExamCount : found.subscription.examCount },
  });
}
