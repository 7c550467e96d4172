import type { DbOrTx, Tx } from "../db/client.ts";
import { AppError } from "../http/app-error.ts";
import { tooManyRequests } from "../http/http.errors.ts";
import { deleteOldSent, insertSent, listSent, lockBudget } from "./mail-ledger.repo.ts";

const HOUR_MS = 3600_000;
export const TO_ONE_RECIPIENT = 5;
export const IN_ALL = 20;

/** So many mails in any hour. */
export interface MailBudget {
  /** What is counted; stored hashed. */
  name: string;
  limit: number;
}

/** Who causes a mail, and so whose budgets it takes from. */
export type MailCause = "program" | { at: Date; budgetsFor(recipient: string): MailBudget[] };

/** Told by the program itself about something no caller can repeat at will: a payment, an end, a removal. */
export const byProgram: MailCause = "program";

/** What one account does: 5 mails an hour to one recipient, 20 in all. */
export function byAccount(accountId: string, at: Date): MailCause {
  return { at, budgetsFor: (recipient) => budgetsOfAccount(accountId, recipient) };
}

/** As {@link byAccount}, to an address that is not known to be the account's: many accounts may aim at one. */
export function byAccountToStranger(accountId: string, at: Date): MailCause {
  return {
    at,
    budgetsFor: (recipient) => [
      { name: `strangers to ${recipient}`, limit: IN_ALL },
      ...budgetsOfAccount(accountId, recipient),
    ],
  };
}

/** What somebody asks for without a session, against budgets that the caller names. */
export function byVisitor(budgets: MailBudget[], at: Date): MailCause {
  return { at, budgetsFor: () => budgets };
}

function budgetsOfAccount(accountId: string, recipient: string): MailBudget[] {
  return [
    { name: `account ${accountId} to ${recipient}`, limit: TO_ONE_RECIPIENT },
    { name: `account ${accountId}`, limit: IN_ALL },
  ];
}

/**
 * Counts one mail against its cause's budgets, right under concurrency.
 * @throws {AppError} 429 with Retry-After where one of them is used up; the transaction must end with it
 */
export async function takeFromBudgets(tx: Tx, cause: MailCause, recipient: string): Promise<void> {
  if (cause === "program") return;
  const { at } = cause;
  for (const { name, limit } of cause.budgetsFor(mailboxOf(recipient))) {
    const budget = new Bun.CryptoHasher("sha256").update(name).digest("hex");
    await lockBudget(tx, budget);
    const sent = await listSent(tx, budget, new Date(at.getTime() - HOUR_MS), limit);
    const [oldest] = sent;
    if (oldest && sent.length >= limit) {
      const seconds = Math.ceil((oldest.getTime() + HOUR_MS - at.getTime()) / 1000);
      throw new AppError(tooManyRequests, { retryAfterSeconds: Math.max(1, seconds) });
    }
    await insertSent(tx, budget, at);
  }
}

/** What an hour later counts no more. */
export async function forgetOldMails(db: DbOrTx, now: Date): Promise<void> {
  await deleteOldSent(db, new Date(now.getTime() - HOUR_MS));
}

/** `maria+1@…` is read by whoever reads `maria@…`. */
function mailboxOf(recipient: string): string {
  return recipient.toLowerCase().replace(/\+[^@]*(?=@)/, "");
}
