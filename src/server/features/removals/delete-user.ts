import { isSameEmail } from "../../../shared/api/users.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { discardObjects } from "../../holdings/objects/discard-objects.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { forgetMails } from "../../mail/mail.jobs.ts";
import { hashAddress } from "../../mail/outbox.ts";
import { listFormerAddresses } from "../accounts/addresses/email-stops.repo.ts";
import { listLinks } from "../accounts/mailed-links/mailed-links.repo.ts";
import { findOperatorEmail } from "../accounts/users/find-operator-email.ts";
import { lastAdmin, userNotFound } from "../accounts/users/users.errors.ts";
import {
  deleteUserRow,
  findUserByEmail,
  hasOtherAdmin,
  lockUserAmongAdmins,
  lockUserForDeletion,
} from "../accounts/users/users.repo.ts";
import type { UserRow } from "../accounts/users/users.table.ts";
import { pseudonymiseAudit, recordAudit } from "../audit/audit.repo.ts";
import { listLabKeys } from "../labs/labs.repo.ts";
import { listObjectsOfAccount, lockStudiesOfAccount } from "../studies/study-storage.repo.ts";
import { lockSubscription } from "../subscriptions/subscriptions.repo.ts";
import { deleteSupportMessagesOf } from "../support/support.repo.ts";

/**
 * Deletes an account with its studies, grants, sessions and subscription; the bytes go by jobs of the same
 * transaction, and so do mails and support messages. Audit and payments stay, under an id that nothing leads back from.
 * @throws {AppError} `user.not_found`, `user.last_admin`
 */
export async function deleteUser(
  deps: Pick<Deps, "db" | "clock" | "jobs" | "node" | "config">,
  admin: Session,
  id: string,
  origin: RequestOrigin,
): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    const user = await lockUserAmongAdmins(tx, id);
    if (!user) throw new AppError(userNotFound);
    if (user.role === "admin" && user.isAuthorized && !(await hasOtherAdmin(tx, id)))
      throw new AppError(lastAdmin);
    await lockSubscription(tx, id);
    await lockUserForDeletion(tx, id);
    await lockStudiesOfAccount(tx, id);
    const labKeys = await listLabKeys(tx, id);
    const labs = labKeys.map((key) => ({ key, stagedOn: null }));
    await discardObjects(deps, tx, [...(await listObjectsOfAccount(tx, id)), ...labs]);
    const former = await listFormerAddresses(tx, id);
    const asked = await listLinks(tx, id);
    const addresses = new Set([user.email, ...former.map(({ email }) => email)]);
    for (const { newEmail } of asked) if (newEmail !== null) addresses.add(newEmail);
    await deleteSupportMessagesOf(tx, user, theirsSince(user, user.email));
    await deleteUserRow(tx, id);
    await pseudonymiseAudit(tx, id);
    for (const address of await onlyTheirs(deps, tx, addresses))
      await forgetMails(deps, tx, address, theirsSince(user, address));
    await recordAudit(tx, {
      at: now,
      action: "user.deleted",
      actorId: admin.userId,
      accountId: id,
      ...origin,
    });
  });
}

const ALWAYS = new Date(0);

/**
 * Since when what names an address is the account's to delete: always where it has proven to read that mailbox. Else
 * an older message or mail may be of a person who has no account, and whose address somebody registered.
 */
function theirsSince(user: UserRow, address: string): Date {
  return user.emailProvenAt && isSameEmail(address, user.email) ? ALWAYS : user.createdAt;
}

/**
 * Nobody proves the address they register with or ask for: what waits for the operator, or for another account, is not
 * theirs to delete. The account's own row must be gone.
 */
async function onlyTheirs(deps: Pick<Deps, "config">, tx: Tx, addresses: Set<string>): Promise<string[]> {
  const { supportEmail, adminEmail } = deps.config;
  const told = [supportEmail, adminEmail, await findOperatorEmail(deps, tx)];
  const operators = told.flatMap((address) => (address ? [hashAddress(address)] : []));
  const theirs: string[] = [];
  for (const address of addresses) {
    if (!operators.includes(hashAddress(address)) && !(await findUserByEmail(tx, address)))
      theirs.push(address);
  }
  return theirs;
}
