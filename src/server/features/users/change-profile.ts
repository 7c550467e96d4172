import type { ProfileAnswer, ProfileChange } from "../../../shared/api/users.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { unauthenticated } from "../../http/http.errors.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { composeMail } from "../../mail/compose-mail.ts";
import { enqueueMail } from "../../mail/mail.jobs.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { assertCurrentPassword } from "../auth/assert-current-password.ts";
import { emailTaken } from "../auth/auth.errors.ts";
import { confirmEmailMail, emailChangeAskedMail } from "../auth/auth-mails.ts";
import { changePassword } from "../auth/change-password.ts";
import { openSession } from "../auth/open-session.ts";
import { deleteLinks, insertLink } from "../auth/second-factor.repo.ts";
import { hashSecret, newSecret } from "../auth/secrets.ts";
import { readCurrentUser } from "./read-current-user.ts";
import { findUser, findUserByEmail, updateUser } from "./users.repo.ts";
import type { UserRow } from "./users.table.ts";

type ProfileDeps = Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal" | "tokens">;

const CONFIRM_MS = 24 * 3600_000;

/**
 * Changes one's own name at once, the e-mail once the link mailed to the new address is opened, the password
 * against the current one: that ends every session, and the answer brings a new one for the caller.
 * @throws {AppError} `auth.wrong_current_password`, `auth.email_taken`, 429
 */
export async function changeProfile(
  deps: ProfileDeps,
  session: Session,
  change: ProfileChange & { locale: Locale },
  origin: RequestOrigin,
): Promise<ProfileAnswer> {
  const { db, clock } = deps;
  const user = await findUser(db, session.userId);
  if (!user) throw new AppError(unauthenticated);
  if (change.newPassword) await assertCurrentPassword(deps, user, change.currentPassword ?? "");
  const wantsEmail = change.email.toLowerCase() !== user.email.toLowerCase();
  if (wantsEmail && (await findUserByEmail(db, change.email))) throw new AppError(emailTaken);
  const now = clock.now();
  const audit = { at: now, actorId: user.id, accountId: user.id, ...origin };
  const token = await db.transaction(async (tx) => {
    await updateUser(tx, user.id, { name: change.name });
    if (wantsEmail) {
      await askForEmail(deps, tx, user, change);
      await recordAudit(tx, { ...audit, action: "email.asked" });
    }
    if (!change.newPassword) return undefined;
    await changePassword(tx, user.id, change.newPassword, now);
    await recordAudit(tx, { ...audit, action: "password.changed" });
    return (await openSession(deps, tx, { user, locale: change.locale }, origin)).token;
  });
  return {
    user: await readCurrentUser(deps, session),
    pendingEmail: wantsEmail ? change.email : null,
    ...(token && { token }),
  };
}

/** Mails the link to the new address and tells the old one. */
async function askForEmail(
  deps: ProfileDeps,
  tx: Tx,
  user: UserRow,
  { email, locale }: { email: string; locale: Locale },
): Promise<void> {
  const token = newSecret();
  const expiresAt = new Date(deps.clock.now().getTime() + CONFIRM_MS);
  await deleteLinks(tx, user.id, "email");
  await insertLink(tx, {
    tokenHash: hashSecret(token),
    userId: user.id,
    purpose: "email",
    newEmail: email,
    expiresAt,
  });
  const url = `${deps.config.publicUrl}/confirm-email/${token}`;
  const options = { locale, productName: deps.config.productName };
  await enqueueMail(deps, tx, composeMail(confirmEmailMail(url), { ...options, to: email }));
  await enqueueMail(deps, tx, composeMail(emailChangeAskedMail(email), { ...options, to: user.email }));
}
