import type { Locale } from "../../../shared/locale.ts";
import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { deleteOldSessions, deleteOldThrottles } from "./auth.repo.ts";
import { deleteOldChallenges } from "./factors/factors.repo.ts";
import { sessionLifetimeSeconds } from "./find-session.ts";
import { forgotQueue } from "./forgot-queue.ts";
import { mailResetLink } from "./reset-password.ts";
import { deleteExpiredSecrets } from "./second-factor.repo.ts";

const cleaning = defineQueue<Record<never, never>>("auth.clean", { retryLimit: 1 });

/** Mails reset links, and forgets once an hour what is long over. */
export async function startAuthJobs(deps: Deps): Promise<void> {
  const { db, jobs, clock, mailSeal } = deps;
  await jobs.work(forgotQueue, ({ sealed }) =>
    mailResetLink(deps, mailSeal.open(sealed) as { email: string; locale: Locale }),
  );
  await jobs.work(cleaning, async () => {
    const now = clock.now();
    await deleteOldSessions(db, new Date(now.getTime() - sessionLifetimeSeconds * 1000));
    await deleteOldThrottles(db, now);
    await deleteExpiredSecrets(db, now);
    await deleteOldChallenges(db, now);
  });
  await jobs.schedule(cleaning, "41 * * * *", {});
}
