import type { Login, TwoFactorPending } from "../../../../shared/api/auth.ts";
import type { Locale } from "../../../../shared/locale.ts";
import type { SignInMethod } from "../../../../shared/rules/sign-in-methods.ts";
import type { Config } from "../../../config.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { notAuthorized, wrongCredentials } from "../accounts.errors.ts";
import { findSignInMethods } from "../factors/factors.repo.ts";
import { hashSecret } from "../mailed-links/secrets.ts";
import { verifyPassword } from "../passwords/passwords.ts";
import { type OpenedSession, openSession } from "../sessions/open-session.ts";
import { findUserByEmail } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { beginGuess, QUARTER_HOUR_SECONDS } from "./begin-guess.ts";
import { beginLogin, beginLoginWithoutMail } from "./send-code.ts";
import { isTrustedDevice } from "./trusted-devices.repo.ts";
import type { Visitor } from "./visitor.ts";

export interface SignIn extends Login {
  /** The cookie of a remembered device, if the browser sent one. */
  deviceToken?: string | undefined;
  locale: Locale;
}

/**
 * Opens a session, or mails a code if a second factor is required. An unknown e-mail and a wrong password get the same answer
 * in the same time.
 * @throws {AppError} `auth.wrong_credentials`, `auth.not_authorized` (after the correct password), 429
 */
export async function signIn(
  deps: Pick<Deps, "db" | "tokens" | "clock" | "databaseClock" | "config" | "jobs" | "mailSeal">,
  input: SignIn,
  visitor: Visitor,
): Promise<OpenedSession | TwoFactorPending> {
  const { db, clock } = deps;
  const now = clock.now();
  const guess = { name: "login", email: input.email, place: visitor, windowSeconds: QUARTER_HOUR_SECONDS };
  const attempt = await beginGuess(db, { ...guess, limit: 10, strangersLimit: 100, networkLimit: 300 }, now);
  const user = await findUserByEmail(db, input.email);
  if (!(await verifyPassword(input.password, user?.passwordHash)) || !user) {
    const accountId = user?.id ?? null;
    await recordAudit(db, { at: now, action: "session.failed", actorId: null, accountId, ...visitor });
    throw new AppError(wrongCredentials);
  }
  await attempt.succeed();
  if (!user.isAuthorized) throw new AppError(notAuthorized);
  const methods = await findSignInMethods(db, user.id);
  if (await needsSecondStep(deps, user, { methods, deviceToken: input.deviceToken })) {
    if (methods.length === 0) await beginLogin(deps, user, input.locale, visitor);
    else await beginLoginWithoutMail(deps, user, visitor);
    return { requiresTwoFactor: true, email: user.email, ...(methods.length > 0 && { methods }) };
  }
  return await db.transaction((tx) => openSession(deps, tx, { user, locale: input.locale }, visitor));
}

/** An account with its own factor is always asked for it; a mailed code is required if the operator configured it. */
async function needsSecondStep(
  { db, config, clock }: Pick<Deps, "db" | "config" | "clock">,
  user: UserRow,
  { methods, deviceToken }: { methods: SignInMethod[]; deviceToken: string | undefined },
): Promise<boolean> {
  if (methods.length === 0 && (!wantsTwoFactor(config) || user.skipsTwoFactor)) return false;
  return !deviceToken || !(await isTrustedDevice(db, user.id, hashSecret(deviceToken), clock.now()));
}

/** `auto` wants codes as soon as there is a mail server to send them. */
function wantsTwoFactor({ twoFactor, smtpUrl }: Pick<Config, "twoFactor" | "smtpUrl">): boolean {
  return twoFactor === "required" || (twoFactor === "auto" && smtpUrl !== undefined);
}
