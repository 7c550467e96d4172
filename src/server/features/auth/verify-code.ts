import type { VerifyCode } from "../../../shared/api/auth.ts";
import type { SignedInUser } from "../../../shared/api/users.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { tooManyRequests } from "../../http/http.errors.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { findUserByEmail } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { notAuthorized, wrongCode } from "./auth.errors.ts";
import { acceptFactorCode } from "./factors/accept-factor-code.ts";
import { findSignInMethods } from "./factors/factors.repo.ts";
import { openSession } from "./open-session.ts";
import { deleteChallenge, findChallenge, insertTrustedDevice, takeTry } from "./second-factor.repo.ts";
import { hashCode, hashSecret, newSecret } from "./secrets.ts";
import { beginAttempt } from "./throttle.ts";

const TRIES_A_CODE = 5;
const WRONG_CODES_AN_HOUR = 10;
export const trustedDeviceSeconds = 30 * 24 * 3600;

export interface Verified {
  user: SignedInUser;
  /** For the cookie of a device to remember. */
  deviceToken: string | undefined;
}

type VerifyDeps = Pick<Deps, "db" | "tokens" | "clock" | "factorSeal" | "jobs" | "mailSeal" | "config">;

/**
 * Opens the session of a sign-in by its code: once, within ten minutes, in at most five tries. The code is the one
 * mailed or, where the account has a factor of its own, one of the authenticator app or a recovery code.
 * @throws {AppError} `auth.wrong_code`, `auth.not_authorized`, 429 with Retry-After
 */
export async function verifyCode(
  deps: VerifyDeps,
  input: VerifyCode & { locale: Locale },
  origin: RequestOrigin,
): Promise<Verified> {
  const { db, clock } = deps;
  const now = clock.now();
  const subject = input.email.toLowerCase();
  const rule = { name: "code:account", subject, limit: WRONG_CODES_AN_HOUR, windowSeconds: 3600 };
  const attempt = await beginAttempt(db, [rule], now);
  const user = await findUserByEmail(db, input.email);
  const challenge = user && (await findChallenge(db, user.id, now));
  if (challenge && !(await takeTry(db, challenge.id, TRIES_A_CODE))) {
    const seconds = Math.ceil((challenge.expiresAt.getTime() - now.getTime()) / 1000);
    throw new AppError(tooManyRequests, { retryAfterSeconds: Math.max(1, seconds) });
  }
  if (!user || !challenge || !(await isRightCode(deps, { user, challenge, code: input.code }, origin))) {
    const accountId = user?.id ?? null;
    await recordAudit(db, { at: now, action: "session.failed", actorId: null, accountId, ...origin });
    throw new AppError(wrongCode);
  }
  await attempt.succeed(["code:account"]);
  if (!user.isAuthorized) throw new AppError(notAuthorized);
  return await db.transaction(async (tx) => {
    if (!(await deleteChallenge(tx, challenge.id))) throw new AppError(wrongCode);
    const { locale } = input;
    const signedIn = await openSession(deps, tx, { user, locale }, origin);
    const deviceToken = input.rememberDevice ? newSecret() : undefined;
    if (deviceToken) {
      const expiresAt = new Date(now.getTime() + trustedDeviceSeconds * 1000);
      await insertTrustedDevice(tx, { tokenHash: hashSecret(deviceToken), userId: user.id, expiresAt });
    }
    return { user: signedIn, deviceToken };
  });
}

/** A mailed code opens nothing once the account has a factor of its own, even if it was mailed before. */
async function isRightCode(
  deps: VerifyDeps,
  { user, challenge, code }: { user: UserRow; challenge: { id: string; codeHash: string }; code: string },
  origin: RequestOrigin,
): Promise<boolean> {
  const methods = await findSignInMethods(deps.db, user.id);
  if (methods.length > 0) return await acceptFactorCode(deps, user, code, origin);
  return challenge.codeHash === hashCode(code, challenge.id);
}
