import type { Locale } from "../../../../shared/locale.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { composeMail } from "../../../mail/compose-mail.ts";
import { enqueueMail } from "../../../mail/mail.jobs.ts";
import { byVisitor, IN_ALL, type MailCause, TO_ONE_RECIPIENT } from "../../../mail/mail-budget.ts";
import { codeMail } from "../mailed-links/auth-mails.ts";
import { hashCode, hashSecret, newCode } from "../mailed-links/secrets.ts";
import { lockUnchanged } from "../passwords/lock-unchanged.ts";
import { findUserByEmail } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { type Place, type Standing, standingOf } from "./known-places.ts";
import { deleteLogin } from "./pending-logins.repo.ts";
import { findLogins, openLogin } from "./pending-logins.ts";
import type { Visitor } from "./visitor.ts";

/** How long after the correct password a code may be sent again. */
const PASSWORD_MS = 10 * 60_000;
const CODES_A_LOGIN = 4;

/** A sign-in may go on at another node: its time is the database's. */
type CodeDeps = Pick<Deps, "db" | "databaseClock" | "config" | "jobs" | "mailSeal">;

/**
 * Begins a sign-in after a correct password and mails its code.
 * @throws {AppError} 429 if this browser, this network or all strangers together got too many within the hour
 */
export async function beginLogin(
  deps: CodeDeps,
  user: UserRow,
  locale: Locale,
  visitor: Visitor,
): Promise<void> {
  const now = deps.databaseClock.now();
  await deps.db.transaction(async (tx) => {
    await lockUnchanged(tx, user);
    await sendCode(deps, tx, { user, locale, place: visitor, passwordAt: now, codesSent: 1 });
  });
}

/** Matches no code's hash: the sign-in waits for one of the account's own factors, not for a mailed code. */
const NO_MAILED_CODE = "";

/** Begins a sign-in after a correct password that waits for one of the account's own factors. */
export async function beginLoginWithoutMail(
  { db, databaseClock }: Pick<Deps, "db" | "databaseClock">,
  user: UserRow,
  place: Visitor,
): Promise<void> {
  const now = databaseClock.now();
  const login = { id: Bun.randomUUIDv7(), place, codeHash: NO_MAILED_CODE, codesSent: 0, passwordAt: now };
  await db.transaction(async (tx) => {
    await openLogin(tx, await lockUnchanged(tx, user), login, now);
  });
}

/**
 * `resend-code`: at most three times, for a sign-in of this browser or else of this network whose password was verified
 * within ten minutes. Returns nothing, so that the answer does not reveal whether there is one.
 */
export async function resendCode(
  deps: CodeDeps,
  input: { email: string; locale: Locale },
  visitor: Visitor,
): Promise<void> {
  const { db, databaseClock } = deps;
  const now = databaseClock.now();
  const user = await findUserByEmail(db, input.email);
  const [found] = await findLogins(db, user, visitor, now);
  if (!user || !found || found.login.codeHash === NO_MAILED_CODE) return;
  const { id, createdAt: passwordAt, codesSent } = found.login;
  if (codesSent >= CODES_A_LOGIN || now.getTime() - passwordAt.getTime() > PASSWORD_MS) return;
  try {
    await db.transaction(async (tx) => {
      await lockUnchanged(tx, user);
      // A visitor that only shares the network gets an additional login: the code of the browser that started the sign-in
      // stays valid.
      if (found.triesOf === "browser" && !(await deleteLogin(tx, id))) return;
      const { locale } = input;
      await sendCode(deps, tx, { user, locale, place: visitor, passwordAt, codesSent: codesSent + 1 });
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

interface CodeToSend {
  user: UserRow;
  locale: Locale;
  place: Place;
  passwordAt: Date;
  codesSent: number;
}

async function sendCode(
  deps: CodeDeps,
  tx: Tx,
  { user, locale, place, ...login }: CodeToSend,
): Promise<void> {
  const now = deps.databaseClock.now();
  const id = Bun.randomUUIDv7();
  const code = newCode();
  await openLogin(tx, user, { id, place, codeHash: hashCode(code, id), ...login }, now);
  const cause = causeOf(user, await standingOf(tx, user.email, place), place, now);
  const { productName } = deps.config;
  const mail = composeMail(codeMail(code), { to: user.email, locale, productName });
  await enqueueMail(deps, tx, mail, cause, { isAwaited: true });
}

/**
 * Chooses the budget, so that strangers who know the password do not use up the budget of the places where the owner has
 * signed in.
 */
function causeOf(user: UserRow, standing: Standing, place: Place, now: Date): MailCause {
  const where = standing === "browser" ? hashSecret(place.browser) : place.network;
  const own = { name: `code ${user.id} ${standing} ${where}`, limit: TO_ONE_RECIPIENT };
  const all = { name: `code ${user.id} ${standing}`, limit: IN_ALL };
  return byVisitor([own, all], now);
}
