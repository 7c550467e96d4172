import { isInForce } from "../../../shared/rules/subscription.ts";
import { HOUR_MS } from "../../../shared/units.ts";
import type { DbOrTx } from "../../db/client.ts";
import { AppError } from "../../http/app-error.ts";
import { subscriptionRequired } from "../../http/guard.ts";
import { countersAt } from "./read-usage.ts";
import { actionLimitReached } from "./subscriptions.errors.ts";
import {
  type ActionKind,
  type ExamKind,
  findSubscriptionWithPlan,
  tryCountAction,
} from "./subscriptions.repo.ts";
import { insertUsageEvent } from "./usage-events.repo.ts";

/** How long after a charged download its other ranges are free. */
export const FREE_RANGES_MS = HOUR_MS;

/**
 * Counts one download or deletion against the month, inside the transaction of the action; admins are exempt. An action on a
 * study is added to the usage history.
 * @throws {AppError} `quota.actions`, `subscription.required`
 */
export async function chargeAction(
  tx: DbOrTx,
  account: { userId: string; isAdmin: boolean },
  action: { exam: ExamKind; kind: ActionKind; studyInstanceUID?: string },
  now: Date,
): Promise<void> {
  if (account.isAdmin) return;
  if (!(await tryCountAction(tx, account.userId, action, now))) {
    const found = await findInForce(tx, account.userId, now);
    throw new AppError(found ? actionLimitReached : subscriptionRequired);
  }
  const { kind: actionType, studyInstanceUID } = action;
  if (studyInstanceUID === undefined) return;
  await insertUsageEvent(tx, { userId: account.userId, actionType, studyInstanceUID, timestamp: now });
}

/** Tells without counting one whether the month has room for a download or deletion of a study. @throws {AppError} as {@link chargeAction} */
export async function ensureActionLeft(
  db: DbOrTx,
  account: { userId: string; isAdmin: boolean },
  now: Date,
): Promise<void> {
  if (account.isAdmin) return;
  const found = await findInForce(db, account.userId, now);
  if (!found) throw new AppError(subscriptionRequired);
  const { downloads, deletes } = countersAt(found.subscription, now);
  if (downloads + deletes >= found.plan.downloadDeleteLimit) throw new AppError(actionLimitReached);
}

async function findInForce(db: DbOrTx, userId: string, now: Date) {
  const found = await findSubscriptionWithPlan(db, userId);
  return found && isInForce(found.subscription, now) ? found : undefined;
}
