import type { IdentityProof, RecoveryCodesAnswer, TotpEnrolment } from "../../../../shared/api/factors.ts";
import { AppError } from "../../../http/app-error.ts";
import type { Session } from "../../../http/session.ts";
import { byAccount } from "../../../mail/mail-budget.ts";
import { drawQrCode } from "../../../render/qr-code.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { lockSession } from "../sessions/lock-session.ts";
import { beginAttempt } from "../sign-in/throttle.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { mailUser } from "../users/mail-user.ts";
import { addFirstFactor } from "./add-first-factor.ts";
import { totpAddedMail } from "./factor-mails.ts";
import { totpNotPending, totpOn, wrongTotpCode } from "./factors.errors.ts";
import { confirmTotp, findTotp, putPendingTotp } from "./factors.repo.ts";
import { type ProofDeps, proveIdentityToAdd } from "./prove-identity.ts";
import { findStep, newTotpSecret, totpUri } from "./totp.ts";

/** How long a secret waits for its first code. */
const PENDING_MS = 10 * 60_000;

/**
 * Creates a secret for an authenticator app. It becomes a factor at `confirmTotpEnrolment`.
 * @throws {AppError} `totp.already_on`, and the errors of `proveIdentity`
 */
export async function beginTotpEnrolment(
  deps: ProofDeps,
  session: Session,
  proof: IdentityProof,
  origin: Visitor,
): Promise<TotpEnrolment> {
  const { db, clock, config, factorSeal } = deps;
  if ((await findTotp(db, session.userId))?.confirmedAt) throw new AppError(totpOn);
  const user = await proveIdentityToAdd(deps, session, proof, origin);
  const secret = newTotpSecret();
  const row = { userId: user.id, sealedSecret: factorSeal.close(secret), createdAt: clock.now() };
  await db.transaction(async (tx) => {
    await lockSession(tx, session);
    if (!(await putPendingTotp(tx, row))) throw new AppError(totpOn);
  });
  const uri = totpUri(secret, { issuer: config.productName, label: user.email });
  return { secret, uri, qrCode: drawQrCode(uri) };
}

/**
 * Turns the secret into a factor, given the app's first code.
 * @throws {AppError} `totp.wrong_code`, `totp.not_pending`, `totp.already_on` if another app was set up meanwhile; 429 after ten
 *   wrong codes in ten minutes
 */
export async function confirmTotpEnrolment(
  deps: ProofDeps,
  session: Session,
  code: string,
  origin: Visitor,
): Promise<RecoveryCodesAnswer> {
  const { db, clock } = deps;
  const now = clock.now();
  const pending = await findTotp(db, session.userId);
  if (pending?.confirmedAt) {
    // The code that confirmed it may come again, after a lost answer. A code that was not used yet is not told from a wrong one.
    const isAgain = findStep(deps, pending.sealedSecret, code) === pending.lastStep;
    throw new AppError(isAgain ? totpNotPending : totpOn);
  }
  if (!pending || now.getTime() - pending.createdAt.getTime() > PENDING_MS)
    throw new AppError(totpNotPending);
  const rule = { name: "totp:confirm", subject: session.userId, limit: 10, windowSeconds: 600 };
  const attempt = await beginAttempt(db, [rule], now);
  const { sealedSecret } = pending;
  const step = findStep(deps, sealedSecret, code);
  if (step === undefined) throw new AppError(wrongTotpCode);
  await attempt.succeed();
  return await db.transaction(async (tx) => {
    const user = await lockSession(tx, session);
    const recoveryCodes = await addFirstFactor(tx, user.id, now);
    const { id } = user;
    if (!(await confirmTotp(tx, { userId: id, sealedSecret, step, at: now }))) {
      throw new AppError(totpNotPending);
    }
    const details = { factor: "totp" };
    await recordAudit(tx, {
      at: now,
      action: "factor.added",
      actorId: id,
      accountId: id,
      details,
      ...origin,
    });
    await mailUser(deps, tx, user, totpAddedMail, byAccount(user.id, now));
    return { recoveryCodes };
  });
}
