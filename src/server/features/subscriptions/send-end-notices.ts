import { addDays } from "../../../shared/rules/days.ts";
import { bannerFor } from "../../../shared/rules/subscription.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { byProgram } from "../../mail/mail-budget.ts";
import { describeError } from "../../runtime/log.ts";
import { lockUser } from "../accounts/users/users.repo.ts";
import { notify } from "../notifications/notify.ts";
import { insertNotice, listEndingAccounts, type NoticeKind } from "./notices.repo.ts";
import { endingMail } from "./subscription-mails.ts";
import { findPlan, lockSubscription } from "./subscriptions.repo.ts";

type NoticeDeps = Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal" | "log">;

const ACCOUNTS_AT_ONCE = 200;
const DAYS_AHEAD = 7;
/** Nobody is mailed about an end longer ago than this. */
const DAYS_BEHIND = 7;

const kinds = { reminder: "expiring.7", expiring: "expiring.3", expired: "expiring.0" } as const;

/**
 * Mails accounts whose subscription ends within a week, within three days, or has ended. Each mail is sent once per end, late
 * rather than never, but only if it is still true. An account that fails does not stop the others.
 */
export async function sendEndNotices(deps: NoticeDeps): Promise<void> {
  const now = deps.clock.now();
  const between = { from: addDays(now, -DAYS_BEHIND), to: addDays(now, DAYS_AHEAD) };
  let afterUserId: string | null = null;
  for (;;) {
    const accounts: Awaited<ReturnType<typeof listEndingAccounts>> = await listEndingAccounts(
      deps.db,
      between,
      afterUserId,
      ACCOUNTS_AT_ONCE,
    );
    for (const { userId, expiresAt, sent } of accounts) {
      const due = noticeFor(expiresAt, now);
      if (!due || sent.has(due.kind)) continue;
      try {
        await deps.db.transaction((tx) => sendNotice(deps, tx, userId));
      } catch (error) {
        deps.log.warn("subscriptions.notice_failed", describeError(error));
      }
    }
    afterUserId = accounts.at(-1)?.userId ?? null;
    if (accounts.length < ACCOUNTS_AT_ONCE) return;
  }
}

/** Uses the banner's rules, so that mail and screen agree. */
function noticeFor(expiresAt: Date, now: Date): { kind: NoticeKind; days: number } | undefined {
  const banner = bannerFor(expiresAt, now);
  return banner && { kind: kinds[banner.kind], days: banner.days };
}

/** Reads the subscription again under the lock: it may have been renewed, or another node may have sent the mail. */
async function sendNotice(deps: NoticeDeps, tx: Tx, userId: string): Promise<void> {
  const user = await lockUser(tx, userId);
  const subscription = await lockSubscription(tx, userId);
  const now = deps.clock.now();
  if (!user || subscription?.status !== "active" || !subscription.expiresAt) return;
  const { expiresAt } = subscription;
  const due = noticeFor(expiresAt, now);
  const plan = await findPlan(tx, subscription.planId);
  if (!due || !plan) return;
  if (!(await insertNotice(tx, { userId, kind: due.kind, expiresAt, sentAt: now }))) return;
  const mail = endingMail({
    plan: plan.slug === "avaliacao" ? undefined : plan.name,
    expiresAt,
    days: due.days,
    lapses: plan.slug !== "cortesia",
    locale: user.locale,
    publicUrl: deps.config.publicUrl,
  });
  await notify(deps, tx, userId, {
    event: "plan.ending",
    subjectId: userId,
    mail,
    cause: byProgram,
    details: { planName: plan.name, expiresAt: expiresAt.toISOString() },
  });
}
