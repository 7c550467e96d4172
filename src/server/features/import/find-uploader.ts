import type { DbOrTx } from "../../db/client.ts";
import { findUserByEmail } from "../accounts/users/users.repo.ts";
import { hasActiveSubscription } from "../membership/find-session.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { findSubscription } from "../subscriptions/subscriptions.repo.ts";
import { AccountMayNotUpload } from "./import.errors.ts";

export interface ImportAccount {
  caller: Caller;
  isTrial: boolean;
}

/**
 * The account to import for, if its owner could upload now.
 * @throws {AccountMayNotUpload}
 */
export async function findUploader(db: DbOrTx, email: string, now: Date): Promise<ImportAccount> {
  const user = await findUserByEmail(db, email);
  if (!user) throw new AccountMayNotUpload(`There is no account with the e-mail ${email}.`);
  if (!user.isAuthorized) throw new AccountMayNotUpload(`The account ${email} is not authorised.`);
  const { status: subscriptionStatus = null, expiresAt = null } = (await findSubscription(db, user.id)) ?? {};
  if (!hasActiveSubscription({ role: user.role, subscriptionStatus, expiresAt }, now))
    throw new AccountMayNotUpload(`The account ${email} has no active subscription.`);
  return { caller: { userId: user.id, role: user.role }, isTrial: user.isTrial };
}
