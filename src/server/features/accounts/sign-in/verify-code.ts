import type { VerifyCode } from "../../../../shared/api/auth.ts";
import type { Locale } from "../../../../shared/locale.ts";
import type { Db } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { tooManyRequests } from "../../../http/http.errors.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { wrongCode } from "../accounts.errors.ts";
import { acceptFactorCode } from "../factors/accept-factor-code.ts";
import { findSignInMethods } from "../factors/factors.repo.ts";
import { hashCode, hashSecret, newSecret } from "../mailed-links/secrets.ts";
import { type OpenedSession, openSession } from "../sessions/open-session.ts";
import { findUserByEmail, updateUser } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { beginGuess } from "./begin-guess.ts";
import { deleteLogin, type PendingLoginRow } from "./pending-logins.repo.ts";
import { findLogins, type LoginInReach, takeTries, UNKNOWN_USER_ID } from "./pending-logins.ts";
import { type Attempt, beginAttempt } from "./throttle.ts";
import { insertTrustedDevice } from "./trusted-devices.repo.ts";
import type { Visitor } from "./visitor.ts";

const HOUR_SECONDS = 3600;
const WRONG_CODES_AN_HOUR = 10;
/** Shared by all strangers who know the password. */
const STRANGERS_WRONG_CODES = 20;
/** Codes of one network for addresses that do not sign in there: each is a row of the audit, and none can be right. */
const STRAY_CODES_AN_HOUR = 300;
export const trustedDeviceSeconds = 30 * 24 * 3600;

export interface Verified {
  opened: OpenedSession;
  /** The cookie's value if the device is to be remembered. */
  deviceToken: string | undefined;
}

type VerifyDeps = Pick<
  Deps,
  "db" | "tokens" | "clock" | "databaseClock" | "factorSeal" | "jobs" | "mailSeal" | "config"
>;

/**
 * Opens the session of a sign-in by its code: once, within ten minutes, in at most five attempts. The code is the mailed one
 * or, if the account has its own factor, one of the authenticator app or a recovery code. Every code is wrong for a sign-in
 * that another browser started on another network.
 * @throws {AppError} `auth.wrong_code`, `auth.not_authorized`, 429 with Retry-After
 */
export async function verifyCode(
  deps: VerifyDeps,
  input: VerifyCode & { locale: Locale },
  visitor: Visitor,
): Promise<Verified> {
  const { db, clock, databaseClock } = deps;
  const now = clock.now();
  const loginsAt = databaseClock.now();
  const user = await findUserByEmail(db, input.email);
  const logins = await findLogins(db, user, visitor, loginsAt);
  const methods = await findSignInMethods(db, user?.id ?? UNKNOWN_USER_ID);
  const isMailed = methods.length === 0 || logins.length === 0;
  // Codes of the account's own factors have their own limits.
  const attempt = isMailed && (await beginCodeAttempt(db, input.email, { visitor, logins }, now));
  const open = await takeTries(db, logins);
  // A sign-in that another caller finished meanwhile has no attempts left either, but that is not a reason to wait.
  const shut = open.length === 0 ? await findLogins(db, user, visitor, loginsAt) : [];
  if (shut.length > 0) throw tooManyTries(shut, loginsAt);
  const login = user && (await findLoginOfCode(deps, { user, open, isMailed, code: input.code }, visitor));
  if (!login) {
    const accountId = user?.id ?? null;
    await recordAudit(db, { at: now, action: "session.failed", actorId: null, accountId, ...visitor });
    throw new AppError(wrongCode);
  }
  if (attempt) await attempt.succeed();
  return await db.transaction(async (tx) => {
    const { locale } = input;
    const opened = await openSession(deps, tx, { user, locale }, visitor);
    if (!(await deleteLogin(tx, login.id))) throw new AppError(wrongCode);
    // A factor added while this waited for the account's row: the device would skip a factor that it never proved.
    if (isMailed && (await findSignInMethods(tx, user.id)).length > 0) throw new AppError(wrongCode);
    if (isMailed && !user.emailProvenAt) await updateUser(tx, user.id, { emailProvenAt: now });
    const deviceToken = input.rememberDevice ? newSecret() : undefined;
    if (deviceToken) {
      const expiresAt = new Date(now.getTime() + trustedDeviceSeconds * 1000);
      await insertTrustedDevice(tx, { tokenHash: hashSecret(deviceToken), userId: user.id, expiresAt });
    }
    return { opened, deviceToken };
  });
}

interface CodeInHand {
  user: UserRow;
  open: LoginInReach[];
  /**
   * Whether a mailed code is expected. It is not accepted once the account has its own factor, even if it was mailed before.
   */
  isMailed: boolean;
  code: string;
}

async function findLoginOfCode(
  deps: VerifyDeps,
  { user, open, isMailed, code }: CodeInHand,
  visitor: Visitor,
): Promise<PendingLoginRow | undefined> {
  const [first] = open;
  if (!first) return undefined;
  if (!isMailed) return (await acceptFactorCode(deps, user, code, visitor)) ? first.login : undefined;
  return open.find(({ login }) => login.codeHash === hashCode(code, login.id))?.login;
}

/**
 * Counts an attempt before it is known to be wrong. Only visitors with the cookie of a sign-in, or on its network, add to the
 * limit that all strangers share: the others have not given the password.
 */
async function beginCodeAttempt(
  db: Db,
  email: string,
  { visitor, logins }: { visitor: Visitor; logins: LoginInReach[] },
  now: Date,
): Promise<Attempt> {
  if (logins.length === 0) {
    const { network } = visitor;
    const ofPair = {
      name: "code:stray",
      subject: `${email.toLowerCase()} ${network}`,
      limit: WRONG_CODES_AN_HOUR,
    };
    const ofNetwork = { name: "code:stray-address", subject: network, limit: STRAY_CODES_AN_HOUR };
    const rules = [ofNetwork, ofPair].map((rule) => ({ ...rule, windowSeconds: HOUR_SECONDS }));
    return await beginAttempt(db, rules, now);
  }
  // Others on the network do not use up the attempts of the browser that started the sign-in.
  const name = logins[0]?.triesOf === "browser" ? "code" : "code-near";
  const guess = { name, email, place: visitor, windowSeconds: HOUR_SECONDS };
  const limits = { limit: WRONG_CODES_AN_HOUR, strangersLimit: STRANGERS_WRONG_CODES };
  return await beginGuess(db, { ...guess, ...limits }, now);
}

function tooManyTries(logins: LoginInReach[], now: Date): AppError {
  const end = Math.max(...logins.map(({ login }) => login.expiresAt.getTime()));
  const retryAfterSeconds = Math.max(1, Math.ceil((end - now.getTime()) / 1000));
  return new AppError(tooManyRequests, { retryAfterSeconds });
}
