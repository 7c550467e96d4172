import type { DbOrTx } from "../../db/client.ts";
import { AppError } from "../../http/app-error.ts";
import { subscriptionRequired } from "../../http/guard.ts";
import { isInForce } from "./subscription-rules.ts";
import { actionLimitReached } from "./subscriptions.errors.ts";
import {
  type ActionKind,
  findSubscriptionWithPlan,
  insertUsageEvents,
  tryCountAction,
} from "./subscriptions.repo.ts";

/**
 * Counts one download or delete of a study against the month, inside the transaction of the act; admins are
 * exempt. The act goes into the usage history.
 * @throws {AppError} `quota.actions`, `subscription.required`
 */
export async function chargeAction(
  tx: DbOrTx,
  account: { userId: string; isAdmin: boolean },
  action: { kind: ActionKind; studyInstanceUID: string },
  now: Date,
): Promise<void> {
  if (account.isAdmin) return;
  if (!(await tryCountAction(tx, account.userId, action.kind, now))) {
    const found = await findSubscriptionWithPlan(tx, account.userId);
    const isActive = found !== undefined && isInForce(found.subscription, now);
    throw new AppError(isActive ? actionLimitReached : subscriptionRequired);
  }
  await insertUsageEvents(tx, [
    {
      userId: account.userId,
      actionType: action.kind,
      studyInstanceUID: action.studyInstanceUID,
      timestamp: now,
    },
  ]);
}
