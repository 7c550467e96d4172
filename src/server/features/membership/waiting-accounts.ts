import { addDays } from "../../../shared/rules/days.ts";
import type { Tx } from "../../db/client.ts";
import type { MailContent } from "../../mail/compose-mail.ts";
import { byRegistrations } from "../../mail/mail-budget.ts";
import { mailUser } from "../accounts/users/mail-user.ts";
import type { UserRow } from "../accounts/users/users.table.ts";
import { countWaitingUsers, lockWaitingUsers } from "../accounts/users/waiting-users.repo.ts";
import { deleteNotifications } from "../notifications/notifications.repo.ts";
import { type NotifyDeps, notifyAdmins } from "../notifications/notify.ts";
import { setSubscriptionEnd } from "../subscriptions/start-subscription.ts";
import { findSubscriptionWithPlan } from "../subscriptions/subscriptions.repo.ts";

/** One subject for all that wait: the newest replaces the one before, so that strangers who register can't fill an admin's bell. */
const WAITING_ACCOUNTS = "00000000-0000-4000-8000-000000000001";

/** Tells the admins that an account waits for them. */
export async function tellOfWaiting(deps: NotifyDeps, tx: Tx, userId: string): Promise<void> {
  await lockWaitingUsers(tx);
  await notifyAdmins(deps, tx, {
    event: "account.waiting",
    subjectId: WAITING_ACCOUNTS,
    actorId: userId,
    cause: byRegistrations(deps.clock.now()),
  });
}

/** Takes back what the admins were told, once no account waits any more. */
export async function forgetWaiting(tx: Tx): Promise<void> {
  await lockWaitingUsers(tx);
  if ((await countWaitingUsers(tx)) > 0) return;
  await deleteNotifications(tx, { event: "account.waiting", subjectId: WAITING_ACCOUNTS });
}

/**
 * What follows when an admin lets in an account that waited: its trial begins, unless the admin chose an end, and the account is told.
 */
export async function letIn(
  deps: NotifyDeps,
  tx: Tx,
  user: UserRow,
  { choseEnd }: { choseEnd: boolean },
): Promise<void> {
  const { config, clock } = deps;
  const now = clock.now();
  if (!choseEnd) await beginTrial(tx, user.id, addDays(now, config.trialDays));
  await mailUser(deps, tx, user, letInMail(config.publicUrl));
}

/** A trial lasts from the day on which it can be used. One that an admin has made longer stays as it is. */
async function beginTrial(tx: Tx, userId: string, expiresAt: Date): Promise<void> {
  const { plan, subscription } = (await findSubscriptionWithPlan(tx, userId)) ?? {};
  if (plan?.slug !== "avaliacao" || !subscription?.expiresAt || subscription.expiresAt >= expiresAt) return;
  await setSubscriptionEnd(tx, userId, expiresAt);
}

function letInMail(url: string): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.letIn.subject", message: "Your {productName} account was authorized" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.letIn.text",
        message: "An administrator authorized your account. Log in with your e-mail and your password:",
      },
    ],
    highlight: { url, label: /*i18n*/ { id: "mail.letIn.button", message: "Log in" } },
    footnotes: [
      /*i18n*/ {
        id: "mail.letIn.unknown",
        message: "If you did not create an account, somebody used your address: you need do nothing.",
      },
    ],
  };
}
