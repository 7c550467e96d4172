import type { Tx } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../http/app-error.ts";
import { tooManyRequests } from "../http/http.errors.ts";
import { defineQueue } from "../jobs/queue.ts";
import { forgetOldMails, type MailCause, takeFromBudgets } from "./mail-budget.ts";
import type { Mail } from "./mailer.ts";

/** Mails wait in the database, sealed (they carry codes and links), until they were handed over. */
const outgoing = defineQueue<{ sealed: string }>("mail.send", {
  retryLimit: 20,
  retryDelaySeconds: 10,
  retryDelayMaxSeconds: 1800,
  expireInSeconds: 120,
});

const cleaning = defineQueue<Record<never, never>>("mail.clean", { retryLimit: 1 });

/**
 * Has a mail sent, if the transaction commits; never waits for the mail server.
 * @throws {AppError} 429 where its cause has no mail left for this hour
 */
export async function enqueueMail(
  deps: Pick<Deps, "jobs" | "mailSeal">,
  tx: Tx,
  mail: Mail,
  cause: MailCause,
): Promise<void> {
  await takeFromBudgets(tx, cause, mail.to);
  await deps.jobs.enqueue(outgoing, { sealed: deps.mailSeal.close(mail) }, { tx });
}

/** As {@link enqueueMail}, for a mail that there is another way for: answers whether there was room for it. */
export async function mailWithinBudget(
  deps: Pick<Deps, "jobs" | "mailSeal">,
  tx: Tx,
  mail: Mail,
  cause: MailCause,
): Promise<boolean> {
  try {
    await tx.transaction((inner) => enqueueMail(deps, inner, mail, cause));
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === tooManyRequests) return false;
    throw error;
  }
}

export async function startMailJobs({ db, clock, jobs, mailer, mailSeal }: Deps): Promise<void> {
  await jobs.work(outgoing, ({ sealed }) => mailer.send(mailSeal.open(sealed) as Mail), { concurrency: 2 });
  await jobs.work(cleaning, () => forgetOldMails(db, clock.now()));
  await jobs.schedule(cleaning, "47 * * * *", {});
}
