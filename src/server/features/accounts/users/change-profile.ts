import {
  isSameEmail,
  type ProfileAnswer,
  type ProfileChange,
  profileChangeSchemaFor,
} from "../../../../shared/api/users.ts";
import type { Locale } from "../../../../shared/locale.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { unauthenticated, validationFailed } from "../../../http/http.errors.ts";
import type { Session } from "../../../http/session.ts";
import { violationsOf } from "../../../http/validate.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { wrongCurrentPassword } from "../accounts.errors.ts";
import { askForAddress } from "../addresses/ask-for-address.ts";
import { assertCurrentPassword } from "../passwords/assert-current-password.ts";
import { changePassword } from "../passwords/change-password.ts";
import { openSession } from "../sessions/open-session.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { findUser, lockUser, updateUser } from "./users.repo.ts";

/**
 * Changes the user's own profile: the name at once, the e-mail when they open the link mailed to the new address, the
 * password at once. A new password ends every session, and the answer carries a new session for the caller. E-mail and
 * password need the current password.
 * @throws {AppError} 400 without it, `auth.wrong_current_password`, `auth.email_taken`, 429
 */
export async function changeProfile(
  deps: Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal" | "tokens">,
  session: Session,
  change: ProfileChange & { locale: Locale },
  visitor: Visitor,
): Promise<Omit<ProfileAnswer, "user">> {
  const { db, clock } = deps;
  const { name, email, currentPassword, newPassword, locale } = change;
  const user = await findUser(db, session.userId);
  if (!user) throw new AppError(unauthenticated);
  const wantsEmail = !isSameEmail(email, user.email);
  const { error } = profileChangeSchemaFor(user.email).safeParse(change);
  if (error) throw new AppError(validationFailed, { violations: violationsOf(error, locale) });
  if (currentPassword) await assertCurrentPassword(deps, user, currentPassword, visitor);
  const now = clock.now();
  const { address, requestId } = visitor;
  const audit = { at: now, actorId: user.id, accountId: user.id, address, requestId };
  const token = await db.transaction(async (tx) => {
    const locked = await lockUser(tx, user.id);
    // The row may have changed since it was read and the password verified.
    if (!locked) throw new AppError(unauthenticated);
    if (locked.passwordHash !== user.passwordHash || locked.email !== user.email)
      throw new AppError(wrongCurrentPassword);
    await updateUser(tx, user.id, { name });
    if (newPassword) {
      await changePassword(tx, user.id, newPassword, now);
      await recordAudit(tx, { ...audit, action: "password.changed" });
    }
    // After the password, because that ends the existing links.
    if (wantsEmail) {
      await askForAddress(deps, tx, locked, { email, locale });
      await recordAudit(tx, { ...audit, action: "email.asked" });
    }
    const renewed = newPassword && (await findUser(tx, user.id));
    return renewed ? (await openSession(deps, tx, { user: renewed, locale }, visitor)).token : undefined;
  });
  return { pendingEmail: wantsEmail ? email : null, ...(token && { token }) };
}
