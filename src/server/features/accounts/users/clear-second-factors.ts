import { DAY_MS } from "../../../../shared/units.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { unauthenticated } from "../../../http/http.errors.ts";
import type { Session } from "../../../http/session.ts";
import { byAccount } from "../../../mail/mail-budget.ts";
import { recordAudit, wasMadeAdminSince } from "../../audit/audit.repo.ts";
import { factorsClearedMail } from "../factors/factor-mails.ts";
import { deleteFactors } from "../factors/factors.repo.ts";
import { assertCurrentPassword } from "../passwords/assert-current-password.ts";
import { endLinksAndDevices } from "../sessions/end-access.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { mailUser } from "./mail-user.ts";
import { newAdmin, ownFactors, userNotFound } from "./users.errors.ts";
import { findUser, lockUser } from "./users.repo.ts";

/** How long the other admins have to notice a new one. */
const NEW_ADMIN_MS = DAY_MS;

/**
 * Removes every factor of a user who lost them, given the acting admin's password, and tells the owner. Admins remove their
 * own factors in the profile, where one of them is asked for. Idempotent. A thief of an admin's session could create an admin
 * whose password they know, so a new admin, or one whose address another admin has changed, must wait for a day.
 * @throws {AppError} `user.own_factors`, `user.not_found`, `user.new_admin`, `auth.wrong_current_password`, 429
 */
export async function clearSecondFactors(
  deps: Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal">,
  session: Session,
  { id, currentPassword }: { id: string; currentPassword: string },
  visitor: Visitor,
): Promise<void> {
  const { db, clock } = deps;
  if (id === session.userId) throw new AppError(ownFactors);
  const admin = await findUser(db, session.userId);
  if (!admin) throw new AppError(unauthenticated);
  if (!(await findUser(db, id))) throw new AppError(userNotFound);
  await assertCurrentPassword(deps, admin, currentPassword, visitor);
  const now = clock.now();
  if (await wasMadeAdminSince(db, admin.id, new Date(now.getTime() - NEW_ADMIN_MS)))
    throw new AppError(newAdmin);
  await db.transaction(async (tx) => {
    const user = await lockUser(tx, id);
    if (!user) throw new AppError(userNotFound);
    if (!(await deleteFactors(tx, id))) return;
    // The lost factor may be a remembered device.
    await endLinksAndDevices(tx, id);
    await recordAudit(tx, {
      at: now,
      action: "factors.cleared",
      actorId: admin.id,
      accountId: id,
      ...visitor,
    });
    await mailUser(deps, tx, user, factorsClearedMail, byAccount(admin.id, now));
  });
}
