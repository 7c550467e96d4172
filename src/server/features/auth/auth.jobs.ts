import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { deleteOldSessions, deleteOldThrottles } from "./auth.repo.ts";
import { deleteExpiredStops } from "./email-stops.repo.ts";
import { deleteOldChallenges } from "./factors/factors.repo.ts";
import { sessionLifetimeSeconds } from "./find-session.ts";
import { forgotQueue } from "./forgot-queue.ts";
import { forgetOldPlaces } from "./known-places.ts";
import { deleteExpiredLinks } from "./mailed-links.repo.ts";
import { deleteExpiredLogins } from "./pending-logins.repo.ts";
import { mailResetLink, type ResetRequest } from "./reset-password.ts";
import { deleteExpiredDevices } from "./trusted-devices.repo.ts";

const cleaning = defineQueue<Record<never, never>>("auth.clean", { retryLimit: 1 });

/** Mails reset links, and forgets once an hour what is long over. */
export async function startAuthJobs(deps: Deps): Promise<void> {
  const { db, jobs, clock, mailSeal } = deps;
  await jobs.work(forgotQueue, ({ sealed }) => mailResetLink(deps, mailSeal.open(sealed) as ResetRequest));
  await jobs.work(cleaning, async () => {
    const now = clock.now();
    await deleteOldSessions(db, new Date(now.getTime() - sessionLifetimeSeconds * 1000));
    await deleteOldThrottles(db, now);
    await deleteOldChallenges(db, now);
    await deleteExpiredLogins(db, now);
    await deleteExpiredDevices(db, now);
    await deleteExpiredLinks(db, now);
    await deleteExpiredStops(db, now);
    await forgetOldPlaces(db, now);
  });
  await jobs.schedule(cleaning, "41 * * * *", {});
}
