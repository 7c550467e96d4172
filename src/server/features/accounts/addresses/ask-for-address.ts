import type { Locale } from "../../../../shared/locale.ts";
import { DAY_MS } from "../../../../shared/units.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { tooManyRequests } from "../../../http/http.errors.ts";
import { composeMail } from "../../../mail/compose-mail.ts";
import { enqueueMail } from "../../../mail/mail.jobs.ts";
import { byAccount, byAccountToStranger } from "../../../mail/mail-budget.ts";
import { emailTaken } from "../accounts.errors.ts";
import { confirmEmailMail, emailChangeAskedMail } from "../mailed-links/auth-mails.ts";
import { deleteLinks, insertLink } from "../mailed-links/mailed-links.repo.ts";
import { hashSecret, newSecret } from "../mailed-links/secrets.ts";
import type { UserRow } from "../users/users.table.ts";
import { claimAddress } from "./claim-address.ts";
import { countStops, insertStop } from "./email-stops.repo.ts";

const CONFIRM_MS = DAY_MS;
/** How long the old address can stop the change or undo it. */
const STOP_MS = 7 * DAY_MS;
const STOPS_AN_ACCOUNT = 20;
const DAY_SECONDS = 24 * 3600;

/**
 * Mails the link that confirms a new address, and warns the old address of every such request. The account's row must be
 * locked.
 * @throws {AppError} `auth.email_taken`; 429 if the mail budget is used up
 */
export async function askForAddress(
  deps: Pick<Deps, "clock" | "config" | "jobs" | "mailSeal">,
  tx: Tx,
  user: UserRow,
  { email, locale }: { email: string; locale: Locale },
): Promise<void> {
  const now = deps.clock.now();
  if (!(await claimAddress(tx, email, user.id, now))) throw new AppError(emailTaken);
  if ((await countStops(tx, user.id, now)) >= STOPS_AN_ACCOUNT)
    throw new AppError(tooManyRequests, { retryAfterSeconds: DAY_SECONDS });
  const { publicUrl, productName } = deps.config;
  const [token, stopToken] = [newSecret(), newSecret()];
  await deleteLinks(tx, user.id, "email");
  await insertLink(tx, {
    tokenHash: hashSecret(token),
    userId: user.id,
    purpose: "email",
    newEmail: email,
    expiresAt: new Date(now.getTime() + CONFIRM_MS),
  });
  await insertStop(tx, {
    tokenHash: hashSecret(stopToken),
    userId: user.id,
    oldEmail: user.email,
    askedAt: now,
    expiresAt: new Date(now.getTime() + STOP_MS),
  });
  const warning = emailChangeAskedMail(email, `${publicUrl}/stop-email-change/${stopToken}`);
  const toOld = composeMail(warning, { to: user.email, locale, productName });
  await enqueueMail(deps, tx, toOld, byAccount(user.id, now));
  const confirmation = confirmEmailMail(`${publicUrl}/confirm-email/${token}`, user.email);
  const toNew = composeMail(confirmation, { to: email, locale, productName });
  await enqueueMail(deps, tx, toNew, byAccountToStranger(user.id, now), { isAwaited: true });
}
