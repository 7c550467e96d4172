import { isInForce } from "../../../shared/rules/subscription.ts";
import type { DbOrTx } from "../../db/client.ts";
import { AppError } from "../../http/app-error.ts";
import { subscriptionRequired } from "../../http/guard.ts";
import { sumStorage } from "./storage.repo.ts";
import { storageExceeded } from "./storage-quota.ts";
import { examLimitReached, trialLimitReached } from "./subscriptions.errors.ts";
import { type ExamKind, findSubscriptionWithPlan, tryAddExams } from "./subscriptions.repo.ts";

/**
 * Counts exams and their stored `bytes` against the account's plan; admins are exempt. Call it inside the transaction that
 * stores them, before it does, with the subscription locked.
 * @throws {AppError} `quota.trial`, `quota.exams`, `quota.bytes`, `subscription.required`
 */
export async function chargeExams(
  tx: DbOrTx,
  account: { userId: string; isAdmin: boolean },
  exams: { kind: ExamKind; count: number; bytes: number },
  now: Date,
): Promise<void> {
  const { kind, count, bytes } = exams;
  const { userId } = account;
  if (account.isAdmin || (count === 0 && bytes <= 0)) return;
  if (await tryAddExams(tx, kind, { userId, count, bytes, now })) return;
  const found = await findSubscriptionWithPlan(tx, userId);
  if (!found || !isInForce(found.subscription, now)) throw new AppError(subscriptionRequired);
  const { plan, subscription } = found;
  const held = kind === "lab" ? subscription.labExamCount : subscription.examCount;
  if (held + count <= plan.examLimit) {
    throw storageExceeded({ usedBytes: await sumStorage(tx, userId), limitBytes: plan.storageBytes });
  }
  const isTrial = plan.slug === "avaliacao";
  throw new AppError(isTrial ? trialLimitReached : examLimitReached, { values: { count: held } });
}
