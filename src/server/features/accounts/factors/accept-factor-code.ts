import { totpCodePattern } from "../../../../shared/rules/sign-in-methods.ts";
import type { Deps } from "../../../deps.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { hashSecret } from "../mailed-links/secrets.ts";
import { standingOf } from "../sign-in/known-places.ts";
import { beginAttempt } from "../sign-in/throttle.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { mailUser } from "../users/mail-user.ts";
import type { UserRow } from "../users/users.table.ts";
import { recoveryCodeUsedMail } from "./factor-mails.ts";
import { countRecoveryCodes, findTotp, takeRecoveryCode, takeTotpStep } from "./factors.repo.ts";
import { hashRecoveryCode, isRecoveryCode } from "./recovery-codes.ts";
import { findStep } from "./totp.ts";

const HOUR_SECONDS = 3600;

type CodeDeps = Pick<Deps, "db" | "clock" | "databaseClock" | "factorSeal" | "jobs" | "mailSeal" | "config">;

/**
 * Uses up a code of the authenticator app or a recovery code. Returns `false` if it is wrong, expired or used. Callers have
 * verified the password before: only someone who knows it can exhaust the account's limit, and passkeys and recovery codes
 * keep working beyond that limit.
 * @throws {AppError} 429 after ten wrong codes in an hour from one address, or a hundred wrong app codes in a day from places
 *   where the owner has never signed in
 */
export async function acceptFactorCode(
  deps: CodeDeps,
  user: UserRow,
  code: string,
  origin: Visitor,
): Promise<boolean> {
  const { db, clock } = deps;
  const isTotp = totpCodePattern.test(code);
  const standing = await standingOf(db, user.email, origin);
  const where = standing === "browser" ? hashSecret(origin.browser) : origin.network;
  const name = isTotp ? "totp:pair" : "recovery:pair";
  const pair = {
    name,
    subject: `${user.id} ${where}`,
    limit: 10,
    windowSeconds: HOUR_SECONDS,
    resetsOnSuccess: true,
  };
  const all = { name: "totp:account", subject: user.id, limit: 100, windowSeconds: 24 * HOUR_SECONDS };
  const rules = isTotp && standing === "stranger" ? [pair, all] : [pair];
  const attempt = await beginAttempt(db, rules, clock.now());
  const isRight = isTotp
    ? await spendTotpCode(deps, user.id, code)
    : await spendRecoveryCode(deps, user, code, origin);
  if (isRight) await attempt.succeed();
  return isRight;
}

async function spendTotpCode(deps: CodeDeps, userId: string, code: string) {
  const { db, clock } = deps;
  const totp = await findTotp(db, userId);
  if (!totp?.confirmedAt) return false;
  const step = findStep(deps, totp.sealedSecret, code);
  return step !== undefined && (await takeTotpStep(db, userId, step, clock.now()));
}

/** Mails the owner at each use: a stranger who found the sheet of codes would use one. */
async function spendRecoveryCode(deps: CodeDeps, user: UserRow, code: string, origin: Visitor) {
  if (!isRecoveryCode(code)) return false;
  const at = deps.clock.now();
  const { id } = user;
  return await deps.db.transaction(async (tx) => {
    if (!(await takeRecoveryCode(tx, { userId: id, codeHash: hashRecoveryCode(code, id), at }))) return false;
    await recordAudit(tx, { at, action: "recovery_code.used", actorId: id, accountId: id, ...origin });
    await mailUser(deps, tx, user, recoveryCodeUsedMail(await countRecoveryCodes(tx, id)));
    return true;
  });
}
