import { type CurrentUser, isSameEmail, type UserChange } from "../../../shared/api/users.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { enqueueMail } from "../../mail/mail.jobs.ts";
import { byAccount } from "../../mail/mail-budget.ts";
import { emailTaken } from "../accounts/accounts.errors.ts";
import { changeAddress } from "../accounts/addresses/change-address.ts";
import { deleteStops } from "../accounts/addresses/email-stops.repo.ts";
import { emailChangedMail } from "../accounts/mailed-links/auth-mails.ts";
import { endSessionsAndTokens } from "../accounts/sessions/end-access.ts";
import { invite } from "../accounts/users/invite.ts";
import { mailUser } from "../accounts/users/mail-user.ts";
import { presentUser } from "../accounts/users/present-user.ts";
import { tellAdmins } from "../accounts/users/tell-admins.ts";
import { lastAdmin, ownEmail, userNotFound } from "../accounts/users/users.errors.ts";
import { findUser, hasOtherAdmin, lockUserAmongAdmins, updateUser } from "../accounts/users/users.repo.ts";
import type { UserRow } from "../accounts/users/users.table.ts";
import { isWaiting } from "../accounts/users/waiting-users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { setSubscriptionEnd, startSubscription } from "../subscriptions/start-subscription.ts";
import { findSubscription } from "../subscriptions/subscriptions.repo.ts";
import { forgetWaiting, letIn } from "./waiting-accounts.ts";

type ChangeDeps = Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal">;

/**
 * An admin's change of an account. A new e-mail takes effect at once and is mailed to both addresses; removing the
 * authorisation ends sessions and access tokens. Admins change their own e-mail in the profile, where the password is required.
 * @throws {AppError} `user.not_found`, `user.last_admin`, `user.own_email`, `auth.email_taken`, 429
 */
export async function changeUser(
  deps: ChangeDeps,
  admin: Session,
  input: { id: string; change: UserChange },
  origin: RequestOrigin,
): Promise<CurrentUser> {
  const { db, clock } = deps;
  const { id, change } = input;
  const now = clock.now();
  return await db.transaction(async (tx) => {
    const user = await lockUserAmongAdmins(tx, id);
    if (!user) throw new AppError(userNotFound);
    await assertAdminRemains(tx, user, change);
    const { name, role, isAuthorized } = change;
    const wasWaiting = isAuthorized !== undefined && (await isWaiting(tx, id));
    await updateUser(tx, id, {
      name: name ?? user.name,
      role: role ?? user.role,
      isAuthorized: isAuthorized ?? user.isAuthorized,
    });
    if (change.email) await moveEmail(deps, tx, { admin, user, email: change.email });
    if (isAuthorized === false) await endSessionsAndTokens(tx, id, now);
    if ((role ?? user.role) !== "admin") await keepSubscribed(tx, user, change, now);
    if (isAuthorized && wasWaiting) {
      const choseEnd = change.expiresAt !== undefined;
      await letIn(deps, tx, (await findUser(tx, id)) ?? user, { choseEnd });
    }
    const becomesAdmin = role === "admin" && user.role !== "admin";
    if (becomesAdmin) await tellAdmins(deps, tx, admin, { id, email: change.email ?? user.email });
    const isMoved = change.email !== undefined && !isSameEmail(change.email, user.email);
    const details = {
      changed: Object.keys(change),
      ...(becomesAdmin && { becomesAdmin }),
      ...(isMoved && { isMoved }),
    };
    await recordAudit(tx, {
      at: now,
      action: "user.changed",
      actorId: admin.userId,
      accountId: id,
      details,
      ...origin,
    });
    if (wasWaiting) await forgetWaiting(tx);
    const [row, subscription] = [await findUser(tx, id), await findSubscription(tx, id)];
    return presentUser(row ?? user, subscription?.expiresAt ?? null);
  });
}

/** At least one admin must remain who can authorise others. */
async function assertAdminRemains(tx: Tx, user: UserRow, change: UserChange): Promise<void> {
  if (user.role !== "admin" || !user.isAuthorized) return;
  const stays = (change.role ?? "admin") === "admin" && change.isAuthorized !== false;
  if (!stays && !(await hasOtherAdmin(tx, user.id))) throw new AppError(lastAdmin);
}

interface EmailMove {
  admin: Session;
  user: UserRow;
  email: string;
}

/**
 * Changes the address at once and ends the links of the account's own pending changes. An invited user without a password
 * gets a new invitation at the new address.
 */
async function moveEmail(deps: ChangeDeps, tx: Tx, { admin, user, email }: EmailMove): Promise<void> {
  const { locale } = user;
  const now = deps.clock.now();
  if (isSameEmail(email, user.email)) {
    await updateUser(tx, user.id, { email });
    return;
  }
  if (user.id === admin.userId) throw new AppError(ownEmail);
  if (!(await changeAddress(tx, user.id, { email, isProven: false }, now))) throw new AppError(emailTaken);
  await deleteStops(tx, user.id);
  const cause = byAccount(admin.userId, now);
  for (const to of [user.email, email])
    await mailUser(deps, tx, { email: to, locale }, emailChangedMail(email), cause);
  if (user.passwordHash) return;
  const invitation = await invite(deps, tx, { ...user, email }, locale);
  await enqueueMail(deps, tx, invitation.mail, cause);
}

/**
 * A former admin, and an account without a subscription that is given a day on which it ends, get "Cortesia". An account that registered
 * itself while there are no trials stays without one, whatever else changes.
 */
async function keepSubscribed(tx: Tx, user: UserRow, change: UserChange, now: Date): Promise<void> {
  const userId = user.id;
  const expiresAt = change.expiresAt ? new Date(change.expiresAt) : null;
  const existing = await findSubscription(tx, userId);
  // A plan that was chosen but never paid does not count as a subscription.
  const hasNone = !existing || existing.status === "pending";
  if (hasNone && (expiresAt !== null || (!existing && user.role === "admin")))
    await startSubscription(tx, { userId, planSlug: "cortesia", expiresAt, now });
  else if (!hasNone && change.expiresAt !== undefined) await setSubscriptionEnd(tx, userId, expiresAt);
}
