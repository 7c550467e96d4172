import type { IdentityProof, RecoveryCodesAnswer } from "../../../../shared/api/factors.ts";
import { AppError } from "../../../http/app-error.ts";
import type { Session } from "../../../http/session.ts";
import { byAccount } from "../../../mail/mail-budget.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { lockSession } from "../sessions/lock-session.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { mailUser } from "../users/mail-user.ts";
import { makeRecoveryCodes } from "./add-first-factor.ts";
import { recoveryCodesMadeMail } from "./factor-mails.ts";
import { noFactors } from "./factors.errors.ts";
import { findSignInMethods } from "./factors.repo.ts";
import { type ProofDeps, proveIdentity } from "./prove-identity.ts";

/**
 * Replaces the recovery codes with ten new ones, shown once.
 * @throws {AppError} `factor.none` if the account has no factor that they could replace, and the errors of `proveIdentity`
 */
export async function renewRecoveryCodes(
  deps: ProofDeps,
  session: Session,
  proof: IdentityProof,
  origin: Visitor,
): Promise<RecoveryCodesAnswer> {
  const { userId } = session;
  if ((await findSignInMethods(deps.db, userId)).length === 0) throw new AppError(noFactors);
  await proveIdentity(deps, session, proof, origin);
  const at = deps.clock.now();
  return await deps.db.transaction(async (tx) => {
    const user = await lockSession(tx, session);
    if ((await findSignInMethods(tx, userId)).length === 0) throw new AppError(noFactors);
    const recoveryCodes = await makeRecoveryCodes(tx, userId, at);
    await recordAudit(tx, {
      at,
      action: "recovery_codes.made",
      actorId: userId,
      accountId: userId,
      ...origin,
    });
    await mailUser(deps, tx, user, recoveryCodesMadeMail, byAccount(user.id, at));
    return { recoveryCodes };
  });
}
