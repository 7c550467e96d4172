import { HOUR_MS } from "../../shared/units.ts";
import type { DbOrTx, Tx } from "../db/client.ts";
import { AppError } from "../http/app-error.ts";
import { tooManyRequests } from "../http/http.errors.ts";
import { deleteOldSent, insertSent, listSent, lockBudget } from "./mail-ledger.repo.ts";

export const TO_ONE_RECIPIENT = 5;
export const IN_ALL = 20;
export const OF_DAMAGE = 10;

/** A limit of mails in any one hour. */
export interface MailBudget {
  /** Identifies what is counted. Stored as a hash. */
  name: string;
  limit: number;
}

/** Who caused a mail, which decides the budgets that it uses. */
export type MailCause = "program" | { at: Date; budgetsFor(recipient: string): MailBudget[] };

/** For mails of the program itself about something that no caller can repeat at will: a payment, an expiry, a removal. */
export const byProgram: MailCause = "program";

/** For mails that one account causes: 5 an hour to one recipient, 20 an hour in total. */
export function byAccount(accountId: string, at: Date): MailCause {
  return { at, budgetsFor: (recipient) => budgetsOfAccount(accountId, recipient) };
}

/** Like {@link byAccount}, for an address that may not belong to the account. Many accounts could target one address. */
export function byAccountToStranger(accountId: string, at: Date): MailCause {
  return {
    at,
    budgetsFor: (recipient) => [
      ...budgetsOfAccount(accountId, recipient),
      { name: `strangers to ${recipient}`, limit: IN_ALL },
    ],
  };
}

/** For mails that tell of new accounts: one an hour to each recipient, however many people register. */
export function byRegistrations(at: Date): MailCause {
  return { at, budgetsFor: (recipient) => [{ name: `registrations to ${recipient}`, limit: 1 }] };
}

/** For mails that tell of damaged exams: ten an hour to each recipient, however many are damaged. */
export function byDamage(at: Date): MailCause {
  return { at, budgetsFor: (recipient) => [{ name: `damage to ${recipient}`, limit: OF_DAMAGE }] };
}

/** For mails that a visitor without a session causes. The caller names the budgets. */
export function byVisitor(budgets: MailBudget[], at: Date): MailCause {
  return { at, budgetsFor: () => budgets };
}

/** The wider one first: who has its lock may take those of several recipients, in any order. */
function budgetsOfAccount(accountId: string, recipient: string): MailBudget[] {
  return [
    { name: `account ${accountId}`, limit: IN_ALL },
    { name: `account ${accountId} to ${recipient}`, limit: TO_ONE_RECIPIENT },
  ];
}

/**
 * Counts one mail against the budgets of its cause, correctly under concurrency.
 * @throws {AppError} 429 with Retry-After if a budget is used up; the transaction must fail with it
 */
export async function takeFromBudgets(tx: Tx, cause: MailCause, recipient: string): Promise<void> {
  if (cause === "program") return;
  const { at } = cause;
  for (const { name, limit } of cause.budgetsFor(mailboxOf(recipient))) {
    const budget = hashName(name);
    await lockBudget(tx, budget);
    await assertLeft(tx, budget, limit, at);
    await insertSent(tx, budget, at);
  }
}

/**
 * Makes sure that a mail may still be sent, before something is used up for an act that sends one.
 * @throws {AppError} 429 with Retry-After, as the act would
 */
export async function assertBudgetsLeft(db: DbOrTx, cause: MailCause, recipient: string): Promise<void> {
  if (cause === "program") return;
  for (const { name, limit } of cause.budgetsFor(mailboxOf(recipient))) {
    await assertLeft(db, hashName(name), limit, cause.at);
  }
}

/** Nodes measure the same time with a small error. Later mails went out while the clock was ahead, which was set back. */
const AHEAD_MS = 60_000;

async function assertLeft(db: DbOrTx, budget: string, limit: number, at: Date): Promise<void> {
  const since = new Date(at.getTime() - HOUR_MS);
  const until = new Date(at.getTime() + AHEAD_MS);
  const sent = await listSent(db, budget, { since, until }, limit);
  const [oldest] = sent;
  if (!oldest || sent.length < limit) return;
  const seconds = Math.ceil((oldest.getTime() + HOUR_MS - at.getTime()) / 1000);
  throw new AppError(tooManyRequests, { retryAfterSeconds: Math.max(1, seconds) });
}

function hashName(name: string): string {
  return new Bun.CryptoHasher("sha256").update(name).digest("hex");
}

/** Deletes entries older than an hour, which no longer count. */
export async function forgetOldMails(db: DbOrTx, now: Date): Promise<void> {
  await deleteOldSent(db, new Date(now.getTime() - HOUR_MS));
}

/** `maria+1@…` and `maria@…` are the same mailbox. */
function mailboxOf(recipient: string): string {
  return recipient.toLowerCase().replace(/\+[^@]*(?=@)/, "");
}
