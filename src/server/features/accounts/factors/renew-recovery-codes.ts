import type { IdentityProof, RecoveryCodesAnswer } from "../../../../shared/api/factors.ts";
import { AppError } from "../../../http/app-error.ts";
import type { Session } from "../../../http/session.ts";
import { byAccount } from "../../../mail/mail-budget.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import type { Visitor } from "../sign-in/browser-cookie.ts";
import { lockUser } from "../users/users.repo.ts";
import { makeRecoveryCodes } from "./add-first-factor.ts";
import { mailOwner, recoveryCodesMadeMail } from "./factor-mails.ts";
import { noFactors } from "./factors.errors.ts";
import { findSignInMethods } from "./factors.repo.ts";
import { type ProofDeps, proveIdentity } from "./prove-identity.ts";

/**
 * Ten new codes, shown once; the former ones are dead.
 * @throws {AppError} `factor.none` where they would stand in for nothing, and as `proveIdentity`
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
    const user = await lockUser(tx, userId);
    if (!user || (await findSignInMethods(tx, userId)).length === 0) throw new AppError(noFactors);
    const recoveryCodes = await makeRecoveryCodes(tx, userId, at);
    await recordAudit(tx, {
      ...{ at, action: "recovery_codes.made", actorId: userId, accountId: userId },
      ...origin,
    });
    await mailOwner(deps, tx, user, recoveryCodesMadeMail, byAccount(user.id, at));
    return { recoveryCodes };
  });
}
