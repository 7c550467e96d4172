import type { Login, TwoFactorPending } from "../../../shared/api/auth.ts";
import type { SignInMethod } from "../../../shared/api/factors.ts";
import type { SignedInUser } from "../../../shared/api/users.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { findUserByEmail } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { notAuthorized, wrongCredentials } from "./auth.errors.ts";
import { findSignInMethods } from "./factors/factors.repo.ts";
import { openSession } from "./open-session.ts";
import { verifyPassword } from "./passwords.ts";
import { isTrustedDevice } from "./second-factor.repo.ts";
import { hashSecret } from "./secrets.ts";
import { openChallengeWithoutMail, sendNewCode } from "./send-code.ts";
import { beginAttempt } from "./throttle.ts";

const QUARTER_HOUR = 15 * 60;

export interface SignIn extends Login {
  /** The cookie of a remembered device, if one came along. */
  deviceToken?: string | undefined;
  locale: Locale;
}

/**
 * Opens a session. Where a second factor is wanted, waits for one of the account's own, or else mails a code. Unknown
 * e-mail and wrong password answer alike, in the same time.
 * @throws {AppError} `auth.wrong_credentials`, `auth.not_authorized` (after the right password), 429
 */
export async function signIn(
  deps: Pick<Deps, "db" | "tokens" | "clock" | "config" | "jobs" | "mailSeal">,
  input: SignIn,
  origin: RequestOrigin,
): Promise<SignedInUser | TwoFactorPending> {
  const { db, clock } = deps;
  const now = clock.now();
  const account = input.email.toLowerCase();
  const attempt = await beginAttempt(
    db,
    [
      { name: "login:address", subject: origin.address, limit: 300, windowSeconds: QUARTER_HOUR },
      { name: "login:account", subject: account, limit: 100, windowSeconds: QUARTER_HOUR },
      { name: "login:pair", subject: `${account} ${origin.address}`, limit: 10, windowSeconds: QUARTER_HOUR },
    ],
    now,
  );
  const user = await findUserByEmail(db, input.email);
  if (!(await verifyPassword(input.password, user?.passwordHash)) || !user) {
    const accountId = user?.id ?? null;
    await recordAudit(db, { at: now, action: "session.failed", actorId: null, accountId, ...origin });
    throw new AppError(wrongCredentials);
  }
  await attempt.succeed(["login:pair"]);
  if (!user.isAuthorized) throw new AppError(notAuthorized);
  const methods = await findSignInMethods(db, user.id);
  if (await needsSecondStep(deps, user, { methods, deviceToken: input.deviceToken })) {
    if (methods.length === 0) await sendNewCode(deps, user, input.locale);
    else await openChallengeWithoutMail(deps, user);
    return { requiresTwoFactor: true, email: user.email, ...(methods.length > 0 && { methods }) };
  }
  return await db.transaction((tx) => openSession(deps, tx, { user, locale: input.locale }, origin));
}

/** Whoever has a factor of their own is always asked for it; a mailed code is wanted where the operator says so. */
async function needsSecondStep(
  { db, config, clock }: Pick<Deps, "db" | "config" | "clock">,
  user: UserRow,
  { methods, deviceToken }: { methods: SignInMethod[]; deviceToken: string | undefined },
): Promise<boolean> {
  if (methods.length === 0 && (!wantsTwoFactor(config) || user.skipsTwoFactor)) return false;
  return !deviceToken || !(await isTrustedDevice(db, user.id, hashSecret(deviceToken), clock.now()));
}

/** `auto` wants codes as soon as there is a mail server to send them. */
export function wantsTwoFactor({ twoFactor, smtpUrl }: Pick<Config, "twoFactor" | "smtpUrl">): boolean {
  return twoFactor === "required" || (twoFactor === "auto" && smtpUrl !== undefined);
}
