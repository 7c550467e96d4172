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
import { findOperatorEmail } from "../accounts/users/find-operator.ts";
import { lastAdmin, userNotFound } from "../accounts/users/users.errors.ts";
import {
  deleteUserRow,
  findUserByEmail,
  hasOtherAdmin,
  lockUserAmongAdmins,
  lockUserForDeletion,
} from "../accounts/users/users.repo.ts";
import type { UserRow } from "../accounts/users/users.table.ts";
import { isWaiting } from "../accounts/users/waiting-users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { pseudonymiseAudit } from "../audit/pseudonymise-audit.ts";
import { endResumablesOfAccount } from "../ingest/resumable/ended-resumables.repo.ts";
import { resumableSweepQueue } from "../ingest/resumable/resumable-queues.ts";
import { listLabKeys } from "../labs/labs.repo.ts";
import { forgetWaiting } from "../membership/waiting-accounts.ts";
import { deleteStudiesOf } from "../studies/removed-studies.repo.ts";
import { lockStudiesOfAccount, takeObjectsOfAccount } from "../studies/study-storage.repo.ts";
import { lockSubscription } from "../subscriptions/subscriptions.repo.ts";
import { deleteSupportMessagesOf } from "../support/support.repo.ts";

/**
 * Deletes an account with its studies, grants, sessions and subscription. Jobs of the same transaction delete the bytes, the
 * mails and the support messages. Audit and payments stay, under an id that nothing links to a person; a job sees to it where the
 * account has many rows.
 * @throws {AppError} `user.not_found`, `user.last_admin`
 */
export async function deleteUser(
  deps: Pick<Deps, "db" | "clock" | "jobs" | "node" | "config">,
  actor: Session,
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
    await discardObjects(deps, tx, [...(await takeObjectsOfAccount(tx, id)), ...labs]);
    await endResumablesOfAccount(tx, id, now);
    await deps.jobs.enqueue(resumableSweepQueue, {}, { tx, singletonKey: id });
    const former = await listFormerAddresses(tx, id);
    const asked = await listLinks(tx, id);
    const addresses = new Set([user.email, ...former.map(({ email }) => email)]);
    for (const { newEmail } of asked) if (newEmail !== null) addresses.add(newEmail);
    await deleteSupportMessagesOf(tx, user, deletableSince(user, user.email));
    await deleteStudiesOf(tx, id);
    const wasWaiting = await isWaiting(tx, id);
    await deleteUserRow(tx, id);
    if (wasWaiting) await forgetWaiting(tx);
    await pseudonymiseAudit(deps, tx, id);
    for (const address of await findUnusedAddresses(deps, tx, addresses))
      await forgetMails(deps, tx, address, deletableSince(user, address));
    await recordAudit(tx, {
      at: now,
      action: "user.deleted",
      actorId: actor.userId,
      accountId: id,
      ...origin,
    });
  });
}

const ALWAYS = new Date(0);

/**
 * From when on messages and mails that name an address belong to the account and are deleted with it: from the beginning if
 * the account has proven to read that mailbox, else from the account's creation. Older ones may be from a person without an
 * account, whose address somebody else registered.
 */
function deletableSince(user: UserRow, address: string): Date {
  return user.emailProvenAt && isSameEmail(address, user.email) ? ALWAYS : user.createdAt;
}

/**
 * The addresses that no operator or other account uses. Nobody proves the address they register with or ask for, so mails to
 * an operator or another account must not be deleted with this one. The account's own row must be deleted already.
 */
async function findUnusedAddresses(
  deps: Pick<Deps, "config">,
  tx: Tx,
  addresses: Set<string>,
): Promise<string[]> {
  const { supportEmail, adminEmail } = deps.config;
  const operatorEmails = [supportEmail, adminEmail, await findOperatorEmail(deps, tx)];
  const operators = operatorEmails.flatMap((address) => (address ? [hashAddress(address)] : []));
  const unused: string[] = [];
  for (const address of addresses) {
    if (!operators.includes(hashAddress(address)) && !(await findUserByEmail(tx, address)))
      unused.push(address);
  }
  return unused;
}
