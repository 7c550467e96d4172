import type { ResetPassword } from "../../../../shared/api/auth.ts";
import type { Locale } from "../../../../shared/locale.ts";
import { toInvitationToken } from "../../../../shared/rules/invitation-token.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { tooManyRequests } from "../../../http/http.errors.ts";
import { composeMail } from "../../../mail/compose-mail.ts";
import { enqueueMail } from "../../../mail/mail.jobs.ts";
import { byVisitor, type MailCause, TO_ONE_RECIPIENT } from "../../../mail/mail-budget.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { deadLink } from "../accounts.errors.ts";
import { findSignInMethods } from "../factors/factors.repo.ts";
import { resetMail } from "../mailed-links/auth-mails.ts";
import { deleteLinks, findLinkOwner, insertLink, takeLink } from "../mailed-links/mailed-links.repo.ts";
import { hashSecret, newSecret } from "../mailed-links/secrets.ts";
import { type Place, rememberPlace, standingOf } from "../sign-in/known-places.ts";
import { beginAttempt } from "../sign-in/throttle.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { findUserByEmail, lockUser, updateUser } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { changePassword } from "./change-password.ts";
import { forgotQueue } from "./forgot-queue.ts";

const RESET_MS = 3600_000;

/** The job's data; `place` is missing if release 0.1 enqueued it. */
export interface ResetRequest {
  email: string;
  locale: Locale;
  place?: Place;
}

/**
 * Asks for a reset link. A job looks the account up later, so the answer and its timing are the same whether or not the
 * account exists.
 * @throws {AppError} 429
 */
export async function forgotPassword(
  deps: Pick<Deps, "db" | "clock" | "jobs" | "mailSeal">,
  input: Pick<ResetRequest, "email" | "locale">,
  { browser, network }: Visitor,
): Promise<void> {
  const rule = { name: "forgot:address", subject: network, limit: 20, windowSeconds: 3600 };
  await beginAttempt(deps.db, [rule], deps.clock.now());
  const request: ResetRequest = { ...input, place: { browser, network } };
  await deps.jobs.enqueue(forgotQueue, { sealed: deps.mailSeal.close(request) });
}

/** The job behind {@link forgotPassword}: mails a link if the address has an account and its mail budget allows one. */
export async function mailResetLink(
  deps: Pick<Deps, "db" | "clock" | "databaseClock" | "jobs" | "mailSeal" | "config">,
  { email, locale, place = { browser: "", network: "" } }: ResetRequest,
): Promise<void> {
  const { db, clock } = deps;
  const found = await findUserByEmail(db, email);
  if (!found) return;
  const now = clock.now();
  try {
    await db.transaction(async (tx) => {
      const user = await lockUser(tx, found.id);
      // The account's address may have changed since it was looked up.
      if (user?.email.toLowerCase() !== email.toLowerCase()) return;
      await sendResetLink(
        deps,
        tx,
        { userId: user.id, to: user.email, locale },
        await causeOf(tx, user, place, now),
      );
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== tooManyRequests) throw error;
  }
}

/** Mails a link to choose a new password, which lasts an hour on all nodes; it ends a former link. The account's row must be locked. */
export async function sendResetLink(
  deps: Pick<Deps, "databaseClock" | "jobs" | "mailSeal" | "config">,
  tx: Tx,
  { userId, to, locale }: { userId: string; to: string; locale: Locale },
  cause: MailCause,
): Promise<void> {
  await deleteLinks(tx, userId, "reset");
  const expiresAt = new Date(deps.databaseClock.now().getTime() + RESET_MS);
  const url = await makePasswordLink(deps, tx, { userId, purpose: "reset", expiresAt });
  const { productName } = deps.config;
  const mail = composeMail(resetMail(url), { to, locale, productName });
  await enqueueMail(deps, tx, mail, cause, { isAwaited: true });
}

/**
 * Chooses the budget, so that strangers' requests do not use up the owner's: each known browser has one budget, the known
 * networks share one, and all strangers share one.
 */
async function causeOf(
  tx: Tx,
  user: { id: string; email: string },
  place: Place,
  now: Date,
): Promise<MailCause> {
  const standing = await standingOf(tx, user.email, place);
  const share = standing === "browser" ? hashSecret(place.browser) : standing;
  return byVisitor([{ name: `forgot ${user.id} ${share}`, limit: TO_ONE_RECIPIENT }], now);
}

/** Creates a single-use link for choosing a password. */
export async function makePasswordLink(
  deps: Pick<Deps, "config">,
  tx: Tx,
  link: { userId: string; purpose: "reset" | "invitation"; expiresAt: Date },
): Promise<string> {
  const secret = newSecret();
  const token = link.purpose === "invitation" ? toInvitationToken(secret) : secret;
  await insertLink(tx, { tokenHash: hashSecret(token), ...link });
  return `${deps.config.publicUrl}/reset-password/${token}`;
}

/**
 * Sets the password of a mailed link's account and ends its sessions.
 * @throws {AppError} `auth.dead_link` if the link is used, expired or unknown
 */
export async function resetPassword(
  deps: Pick<Deps, "db" | "clock" | "databaseClock">,
  input: ResetPassword,
  visitor: Visitor,
): Promise<void> {
  const { db, clock } = deps;
  const now = clock.now();
  const takenAt = deps.databaseClock.now();
  const tokenHash = hashSecret(input.token);
  await db.transaction(async (tx) => {
    const userId = await findLinkOwner(tx, tokenHash, ["reset", "invitation"], takenAt);
    const user = userId && (await lockUser(tx, userId));
    if (!userId || !user) throw new AppError(deadLink);
    if (!(await takeLink(tx, tokenHash, ["reset", "invitation"], takenAt))) throw new AppError(deadLink);
    await changePassword(tx, userId, input.password, now);
    if (await isHeldByReader(tx, user)) await updateUser(tx, userId, { emailProvenAt: now });
    await rememberPlace(tx, userId, visitor, now);
    const { address, requestId } = visitor;
    await recordAudit(tx, {
      at: now,
      action: "password.reset",
      actorId: userId,
      accountId: userId,
      address,
      requestId,
    });
  });
}

/**
 * Whether the account is its mailbox reader's. A stranger may have made it with that address, and their second factor then keeps the
 * reader out.
 */
async function isHeldByReader(tx: Tx, { id, emailProvenAt }: UserRow): Promise<boolean> {
  return emailProvenAt !== null || (await findSignInMethods(tx, id)).length === 0;
}
