import type { IdentityProof } from "../../../../shared/api/factors.ts";
import type { Tx } from "../../../db/client.ts";
import { AppError } from "../../../http/app-error.ts";
import type { Session } from "../../../http/session.ts";
import type { MailContent } from "../../../mail/compose-mail.ts";
import { byAccount } from "../../../mail/mail-budget.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { lockSession } from "../sessions/lock-session.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { mailUser } from "../users/mail-user.ts";
import { passkeyRemovedMail, totpRemovedMail } from "./factor-mails.ts";
import { passkeyNotFound, totpOff } from "./factors.errors.ts";
import {
  deletePasskey,
  deleteRecoveryCodes,
  deleteTotp,
  findSignInMethods,
  findTotp,
  listPasskeys,
} from "./factors.repo.ts";
import { type ProofDeps, proveIdentity } from "./prove-identity.ts";

/** @throws {AppError} `passkey.not_found`, and the errors of `proveIdentity` */
export async function removePasskey(
  deps: ProofDeps,
  session: Session,
  { id, proof }: { id: string; proof: IdentityProof },
  origin: Visitor,
): Promise<void> {
  const { userId } = session;
  // Checked first, so that no code is used up for a key that does not exist.
  const passkey = (await listPasskeys(deps.db, userId)).find((row) => row.id === id);
  if (!passkey) throw new AppError(passkeyNotFound);
  await proveIdentity(deps, session, proof, origin);
  const mail = passkeyRemovedMail(passkey.name);
  await removeFactor(deps, session, { factor: "passkey", mail }, origin, async (tx) => {
    if (!(await deletePasskey(tx, { id, userId }))) throw new AppError(passkeyNotFound);
  });
}

/** @throws {AppError} `totp.off`, and the errors of `proveIdentity` */
export async function removeTotp(
  deps: ProofDeps,
  session: Session,
  proof: IdentityProof,
  origin: Visitor,
): Promise<void> {
  if (!(await findTotp(deps.db, session.userId))?.confirmedAt) throw new AppError(totpOff);
  await proveIdentity(deps, session, proof, origin);
  await removeFactor(deps, session, { factor: "totp", mail: totpRemovedMail }, origin, async (tx) => {
    if (!(await deleteTotp(tx, session.userId))) throw new AppError(totpOff);
  });
}

/** Recovery codes are deleted with the last factor that they replace. */
async function removeFactor(
  deps: ProofDeps,
  session: Session,
  { factor, mail }: { factor: string; mail: MailContent },
  origin: Visitor,
  remove: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { userId } = session;
  const at = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    const user = await lockSession(tx, session);
    await remove(tx);
    if ((await findSignInMethods(tx, userId)).length === 0) await deleteRecoveryCodes(tx, userId);
    const details = { factor };
    await recordAudit(tx, {
      at,
      action: "factor.removed",
      actorId: userId,
      accountId: userId,
      details,
      ...origin,
    });
    await mailUser(deps, tx, user, mail, byAccount(user.id, at));
  });
}
