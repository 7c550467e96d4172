import { DAY_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { deleteExpiredAccessTokens } from "./access-tokens/access-tokens.repo.ts";
import { deleteExpiredStops } from "./addresses/email-stops.repo.ts";
import { deleteOldChallenges } from "./factors/factors.repo.ts";
import { deleteExpiredInvitations } from "./mailed-links/doctor-invitations.repo.ts";
import { deleteExpiredLinks } from "./mailed-links/mailed-links.repo.ts";
import { forgotQueue } from "./passwords/forgot-queue.ts";
import { mailResetLink, type ResetRequest } from "./passwords/reset-password.ts";
import { sessionLifetimeSeconds } from "./sessions/session-lifetime.ts";
import { deleteOldSessions } from "./sessions/sessions.repo.ts";
import { forgetOldPlaces } from "./sign-in/known-places.ts";
import { deleteExpiredLogins } from "./sign-in/pending-logins.repo.ts";
import { deleteOldThrottles } from "./sign-in/throttles.repo.ts";
import { deleteExpiredDevices } from "./sign-in/trusted-devices.repo.ts";

/** How long an expired access token stays in its owner's list. */
const EXPIRED_TOKEN_MS = 30 * DAY_MS;

const cleaning = defineQueue("auth.clean", { retryLimit: 1 });

/** Mails reset links, and deletes expired rows once an hour. */
export async function startAuthJobs(deps: Deps): Promise<void> {
  const { jobs, mailSeal } = deps;
  await jobs.work(forgotQueue, ({ sealed }) => mailResetLink(deps, mailSeal.open(sealed) as ResetRequest));
  await jobs.work(cleaning, () => forgetExpired(deps));
  await jobs.schedule(cleaning, "41 * * * *", {});
}

export async function forgetExpired({
  db,
  databaseClock,
}: Pick<Deps, "db" | "databaseClock">): Promise<void> {
  const now = await databaseClock.nowForDeletion(db);
  await deleteOldSessions(db, new Date(now.getTime() - sessionLifetimeSeconds * 1000));
  await deleteExpiredAccessTokens(db, new Date(now.getTime() - EXPIRED_TOKEN_MS));
  await deleteOldThrottles(db, now);
  await deleteOldChallenges(db, databaseClock.now());
  await deleteExpiredLogins(db, databaseClock.now());
  await deleteExpiredDevices(db, now);
  await deleteExpiredLinks(db, databaseClock.now());
  await deleteExpiredInvitations(db, now);
  await deleteExpiredStops(db, now);
  await forgetOldPlaces(db, now);
}
