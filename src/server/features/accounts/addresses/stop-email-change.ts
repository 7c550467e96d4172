import type { StopAnswer } from "../../../../shared/api/auth.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import { byProgram } from "../../../mail/mail-budget.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { deadStop, emailTaken } from "../accounts.errors.ts";
import { emailRestoredMail } from "../mailed-links/auth-mails.ts";
import { deleteLinks } from "../mailed-links/mailed-links.repo.ts";
import { hashSecret } from "../mailed-links/secrets.ts";
import { sendResetLink } from "../passwords/reset-password.ts";
import { endAllAccess } from "../sessions/end-access.ts";
import { deletePlaces } from "../sign-in/known-places.repo.ts";
import { mailUser } from "../users/mail-user.ts";
import { lockUser, updateUser } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { changeAddress } from "./change-address.ts";
import { type EmailStopRow, findStop, takeStop } from "./email-stops.repo.ts";

type StopDeps = Pick<Deps, "db" | "clock" | "databaseClock" | "config" | "jobs" | "mailSeal">;

/**
 * Lets the old address reject a change. A pending change never takes effect. A completed change is undone: the account gets
 * its old address back, every session ends, the password is removed, and a link to choose a new one goes to the old address.
 * The mailbox gets the access it had before the change and nothing more: other second factors stay and are still asked for.
 * An earlier stop outlives a later one, so that an attacker who moved a stolen account twice cannot take it back.
 * @throws {AppError} `auth.dead_link` if the link is used, expired or unknown
 */
export async function stopEmailChange(
  deps: StopDeps,
  token: string,
  origin: RequestOrigin,
): Promise<StopAnswer> {
  const now = deps.clock.now();
  return await deps.db.transaction(async (tx) => {
    const stop = await findStop(tx, hashSecret(token), now);
    const user = stop && (await lockUser(tx, stop.userId));
    if (!user || !(await takeStop(tx, stop))) throw new AppError(deadStop);
    await deleteLinks(tx, user.id, "email");
    const isRestored = user.email.toLowerCase() !== stop.oldEmail.toLowerCase();
    if (isRestored) await restore(deps, tx, user, stop);
    await recordAudit(tx, {
      at: now,
      action: isRestored ? "email.restored" : "email.stopped",
      actorId: null,
      accountId: user.id,
      ...origin,
    });
    return { stopped: true, restored: isRestored };
  });
}

async function restore(deps: StopDeps, tx: Tx, user: UserRow, { oldEmail }: EmailStopRow): Promise<void> {
  const now = deps.clock.now();
  if (!(await changeAddress(tx, user.id, { email: oldEmail, isProven: true }, now)))
    throw new AppError(emailTaken);
  await endAllAccess(tx, user.id, now);
  await deletePlaces(tx, user.id);
  await updateUser(tx, user.id, { passwordHash: null });
  const { locale } = user;
  await sendResetLink(deps, tx, { userId: user.id, to: oldEmail, locale }, byProgram);
  await mailUser(deps, tx, user, emailRestoredMail());
}
