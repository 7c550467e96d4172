import type { NewUser, NewUserAnswer } from "../../../shared/api/users.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { mailWithinBudget } from "../../mail/mail.jobs.ts";
import { byAccount } from "../../mail/mail-budget.ts";
import { emailTaken } from "../accounts/accounts.errors.ts";
import { claimAddress } from "../accounts/addresses/claim-address.ts";
import { invite } from "../accounts/users/invite.ts";
import { presentUser } from "../accounts/users/present-user.ts";
import { tellAdmins } from "../accounts/users/tell-admins.ts";
import { findUser, insertUser } from "../accounts/users/users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { startSubscription } from "../subscriptions/start-subscription.ts";

/**
 * Creates an account with a "Cortesia" subscription that never ends, and mails a link on which its user chooses a password.
 * If there is no mail server, or the admin used up the hour's mails, the answer carries the link.
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
    if (!(await claimAddress(tx, email, id, now))) throw new AppError(emailTaken);
    if (!(await insertUser(tx, { id, name, email, role, locale, createdAt: now })))
      throw new AppError(emailTaken);
    if (role !== "admin")
      await startSubscription(tx, { userId: id, planSlug: "cortesia", expiresAt: null, now });
    const { mail, url } = await invite(deps, tx, { id, name, email }, locale);
    const isMailed = await mailWithinBudget(deps, tx, mail, byAccount(admin.userId, now));
    const details = { role };
    if (role === "admin") await tellAdmins(deps, tx, admin, { id, email });
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
    return { user: presentUser(row, null), ...(config.smtpUrl && isMailed ? {} : { invitationUrl: url }) };
  });
}
