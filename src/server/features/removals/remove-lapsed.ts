import { addDays } from "../../../shared/rules/days.ts";
import { isInForce, lapseDays } from "../../../shared/rules/subscription.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { describeError } from "../../runtime/log.ts";
import { findOperatorEmail } from "../accounts/users/find-operator.ts";
import { mailUser } from "../accounts/users/mail-user.ts";
import { lockUser } from "../accounts/users/users.repo.ts";
import type { UserRow } from "../accounts/users/users.table.ts";
import { insertNotice, type NoticeKind } from "../subscriptions/notices.repo.ts";
import { lapsedMail, lapseWarningMail } from "../subscriptions/subscription-mails.ts";
import { findPlan, lockSubscription } from "../subscriptions/subscriptions.repo.ts";
import { nextLapseStep, warningDays } from "./lapse-schedule.ts";
import { readLapseWarnings } from "./read-kept-until.ts";
import { countKeptExams, type LapsingAccount, listLapsingAccounts } from "./removals.repo.ts";
import { removeAccountExams } from "./remove-account-exams.ts";

type LapseDeps = Pick<Deps, "db" | "clock" | "databaseClock" | "config" | "jobs" | "mailSeal" | "log">;

const ACCOUNTS_AT_ONCE = 200;
const FIRST_WARNING = Math.max(...warningDays);

/**
 * Removes the exams of accounts whose subscription ended a year ago, after warning them. An account that fails does not stop
 * the others; the next run tries it again.
 */
export async function removeLapsed(deps: LapseDeps): Promise<void> {
  const now = await deps.databaseClock.nowForDeletion(deps.db);
  const endedBefore = addDays(now, FIRST_WARNING - lapseDays);
  let afterUserId: string | null = null;
  for (;;) {
    const accounts: LapsingAccount[] = await listLapsingAccounts(
      deps.db,
      endedBefore,
      afterUserId,
      ACCOUNTS_AT_ONCE,
    );
    for (const { userId } of accounts) {
      try {
        await deps.db.transaction((tx) => takeStep(deps, tx, userId, now));
      } catch (error) {
        deps.log.warn("removals.lapse_failed", describeError(error));
      }
    }
    afterUserId = accounts.at(-1)?.userId ?? null;
    if (accounts.length < ACCOUNTS_AT_ONCE) return;
  }
}

/** Reads everything again under the locks: the subscription may have been renewed, or another node may have taken the step. */
async function takeStep(deps: LapseDeps, tx: Tx, userId: string, now: Date): Promise<void> {
  const user = await lockUser(tx, userId);
  const subscription = await lockSubscription(tx, userId);
  if (!user || user.role === "admin" || !subscription?.expiresAt || isInForce(subscription, now)) return;
  const plan = await findPlan(tx, subscription.planId);
  const kept = await countKeptExams(tx, userId);
  if (!plan || plan.slug === "cortesia" || kept.studies + kept.labExams === 0) return;
  const endedAt = subscription.expiresAt;
  const step = nextLapseStep(endedAt, await readLapseWarnings(tx, userId, endedAt), now);
  if (step === undefined) return;
  const ended = { plan: plan.name, endedAt, locale: user.locale };
  if (step === "remove") return await removeExams(deps, tx, user, ended, now);
  const kind: NoticeKind = `removal.${step.warn}`;
  const notice = { userId, kind, expiresAt: endedAt, sentAt: now };
  if (!(await insertNotice(tx, notice))) return;
  const { publicUrl } = deps.config;
  await mailUser(
    deps,
    tx,
    user,
    lapseWarningMail({ ...ended, ...kept, days: step.warn, removalAt: step.removalAt, publicUrl }),
  );
}

async function removeExams(
  deps: LapseDeps,
  tx: Tx,
  user: UserRow,
  ended: { plan: string; endedAt: Date; locale: UserRow["locale"] },
  now: Date,
): Promise<void> {
  const removal = await removeAccountExams(deps, tx, { userId: user.id, reason: "lapsed", now });
  const contact = await findOperatorEmail(deps, tx);
  await mailUser(
    deps,
    tx,
    user,
    lapsedMail({
      ...ended,
      studies: removal.studyCount,
      labExams: removal.labExamCount,
      undoUntil: removal.purgeAfter,
      contact,
    }),
  );
}
