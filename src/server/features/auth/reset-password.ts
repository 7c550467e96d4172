import type { ResetPassword } from "../../../shared/api/auth.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { composeMail } from "../../mail/compose-mail.ts";
import { enqueueMail } from "../../mail/mail.jobs.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { findUserByEmail } from "../users/users.repo.ts";
import { deadLink } from "./auth.errors.ts";
import { resetMail } from "./auth-mails.ts";
import { changePassword } from "./change-password.ts";
import { forgotQueue } from "./forgot-queue.ts";
import { deleteLinks, insertLink, takeLink } from "./second-factor.repo.ts";
import { hashSecret, newSecret } from "./secrets.ts";
import { beginAttempt } from "./throttle.ts";

const RESET_MS = 3600_000;

/**
 * Asks for a reset link. Whether there is such an account is looked up later, by a job: the answer takes the same
 * time and says the same either way.
 * @throws {AppError} 429
 */
export async function forgotPassword(
  deps: Pick<Deps, "db" | "clock" | "jobs" | "mailSeal">,
  input: { email: string; locale: Locale },
  origin: RequestOrigin,
): Promise<void> {
  const rule = { name: "forgot:address", subject: origin.address, limit: 20, windowSeconds: 3600 };
  await beginAttempt(deps.db, [rule], deps.clock.now());
  await deps.jobs.enqueue(forgotQueue, { sealed: deps.mailSeal.close(input) });
}

/** The job behind {@link forgotPassword}: mails a link, if the address has an account. */
export async function mailResetLink(
  deps: Pick<Deps, "db" | "clock" | "jobs" | "mailSeal" | "config">,
  input: { email: string; locale: Locale },
): Promise<void> {
  const { db, clock, config } = deps;
  const user = await findUserByEmail(db, input.email);
  if (!user) return;
  await db.transaction(async (tx) => {
    await deleteLinks(tx, user.id, "reset");
    const expiresAt = new Date(clock.now().getTime() + RESET_MS);
    const url = await makePasswordLink(deps, tx, { userId: user.id, purpose: "reset", expiresAt });
    const { locale } = input;
    const { productName } = config;
    await enqueueMail(deps, tx, composeMail(resetMail(url), { to: user.email, locale, productName }));
  });
}

/** A link on which a password can be chosen, once. */
export async function makePasswordLink(
  deps: Pick<Deps, "config">,
  tx: Tx,
  link: { userId: string; purpose: "reset" | "invitation"; expiresAt: Date },
): Promise<string> {
  const token = newSecret();
  await insertLink(tx, { tokenHash: hashSecret(token), ...link });
  return `${deps.config.publicUrl}/reset-password/${token}`;
}

/**
 * Sets the password of a mailed link's account and ends its sessions.
 * @throws {AppError} `auth.dead_link` for one that is used, expired or was never made
 */
export async function resetPassword(
  deps: Pick<Deps, "db" | "clock">,
  input: ResetPassword,
  origin: RequestOrigin,
): Promise<void> {
  const { db, clock } = deps;
  const now = clock.now();
  await db.transaction(async (tx) => {
    const link = await takeLink(tx, hashSecret(input.token), now);
    if (!link || link.purpose === "email") throw new AppError(deadLink);
    await changePassword(tx, link.userId, input.password, now);
    await deleteLinks(tx, link.userId, "reset");
    await deleteLinks(tx, link.userId, "invitation");
    const { userId } = link;
    await recordAudit(tx, {
      at: now,
      action: "password.reset",
      actorId: userId,
      accountId: userId,
      ...origin,
    });
  });
}
