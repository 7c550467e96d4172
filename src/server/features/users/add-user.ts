import type { NewUser, NewUserAnswer } from "../../../shared/api/users.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { composeMail } from "../../mail/compose-mail.ts";
import { enqueueMail } from "../../mail/mail.jobs.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { emailTaken } from "../auth/auth.errors.ts";
import { invitationMail } from "../auth/auth-mails.ts";
import { makePasswordLink } from "../auth/reset-password.ts";
import { startSubscription } from "../subscriptions/start-subscription.ts";
import { presentUser } from "./present-user.ts";
import { findUser, insertUser } from "./users.repo.ts";

const INVITATION_MS = 7 * 24 * 3600_000;

/**
 * Opens an account for somebody, with a "Cortesia" subscription that never ends, and mails a link on which he
 * chooses his password. Without a mail server the answer carries the link too.
 * @throws {AppError} `auth.email_taken`
 */
export async function addUser(
  deps: Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal">,
  admin: Session,
  input: NewUser & { locale: Locale },
  origin: RequestOrigin,
): Promise<NewUserAnswer> {
  const { db, clock, config } = deps;
  const { name, email, role, locale } = input;
  const id = Bun.randomUUIDv7();
  const now = clock.now();
  return await db.transaction(async (tx) => {
    if (!(await insertUser(tx, { id, name, email, role, createdAt: now }))) throw new AppError(emailTaken);
    if (role !== "admin")
      await startSubscription(tx, { userId: id, planSlug: "cortesia", expiresAt: null, now });
    const expiresAt = new Date(now.getTime() + INVITATION_MS);
    const url = await makePasswordLink(deps, tx, { userId: id, purpose: "invitation", expiresAt });
    const mail = composeMail(invitationMail(url, name), {
      to: email,
      locale,
      productName: config.productName,
    });
    await enqueueMail(deps, tx, mail);
    const details = { role };
    await recordAudit(tx, {
      at: now,
      action: "user.added",
      actorId: admin.userId,
      accountId: id,
      details,
      ...origin,
    });
    const row = await findUser(tx, id);
    if (!row) throw new Error("the account that was just added is gone");
    return { user: presentUser(row, null), ...(config.smtpUrl ? {} : { invitationUrl: url }) };
  });
}
