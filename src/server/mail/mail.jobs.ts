import type { Tx } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../http/app-error.ts";
import { tooManyRequests } from "../http/http.errors.ts";
import { defineQueue } from "../jobs/queue.ts";
import { forgetOldMails, type MailCause, takeFromBudgets } from "./mail-budget.ts";
import type { Mail } from "./mailer.ts";
import { forgetInOutbox, hashAddress, outboxFolder, sweepOutbox } from "./outbox.ts";
import { outboxForgetQueue, outboxSweepQueue } from "./outbox-queues.ts";

/** Mails wait in the database until they are handed over. They are sealed, because they carry codes and links. */
const outgoing = defineQueue<{ sealed: string; about?: string[] }>("mail.send", {
  retryLimit: 20,
  retryDelaySeconds: 10,
  retryDelayMaxSeconds: 1800,
  // Longer than a server may take to answer: a job that expires is sent again.
  expireInSeconds: 15 * 60,
});

const cleaning = defineQueue("mail.clean", { retryLimit: 1 });

export interface MailOptions {
  /** Somebody looks for it now, such as a code: it goes before others that wait. */
  isAwaited?: boolean;
}

/**
 * Enqueues a mail that is sent if the transaction commits. Never waits for the mail server.
 * @throws {AppError} 429 if its cause has used up its mails of this hour
 */
export async function enqueueMail(
  deps: Pick<Deps, "jobs" | "mailSeal">,
  tx: Tx,
  mail: Mail,
  cause: MailCause,
  { isAwaited = false }: MailOptions = {},
): Promise<void> {
  await takeFromBudgets(tx, cause, mail.to);
  const about = [mail.to, mail.replyTo].flatMap((address) => (address ? [hashAddress(address)] : []));
  const priority = isAwaited ? 1 : 0;
  await deps.jobs.enqueue(outgoing, { sealed: deps.mailSeal.close(mail), about }, { tx, priority });
}

/** Like {@link enqueueMail}, for a mail that is not essential. Returns `false` instead of throwing if the budget is used up. */
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

/**
 * Deletes the mails to or from an address since `since`: waiting mails, failed mails, and files in the outbox of this node.
 * Takes effect if the transaction commits.
 */
export async function forgetMails(
  { jobs, node }: Pick<Deps, "jobs" | "node">,
  tx: Tx,
  address: string,
  since: Date,
): Promise<void> {
  const about = hashAddress(address);
  await jobs.forget({ about: [about] }, since, tx);
  const data = { about, since: since.toISOString() };
  await jobs.enqueue(outboxForgetQueue(node.id), data, { tx });
}

/** The mail of a job, with the same id at each attempt: every seal differs. */
function openSealed(mailSeal: Deps["mailSeal"], sealed: string): Mail {
  const id = new Bun.CryptoHasher("sha256").update(sealed).digest("hex").slice(0, 32);
  return { ...(mailSeal.open(sealed) as Mail), id };
}

export async function startMailJobs(deps: Deps): Promise<void> {
  const { db, jobs, mailer, mailSeal, node, databaseClock } = deps;
  const folder = outboxFolder(deps.config);
  await jobs.work(outgoing, ({ sealed }) => mailer.send(openSealed(mailSeal, sealed)), {
    concurrency: 2,
  });
  await jobs.work(cleaning, async () => forgetOldMails(db, await databaseClock.nowForDeletion(db)));
  await jobs.schedule(cleaning, "47 * * * *", {});
  await jobs.work(outboxForgetQueue(node.id), ({ about, since }) =>
    forgetInOutbox(folder, about, new Date(since ?? 0)),
  );
  await jobs.work(outboxSweepQueue(node.id), async () =>
    sweepOutbox(folder, await databaseClock.nowForDeletion(db)),
  );
  await scheduleOutboxSweep(deps);
}

/** Schedules the sweep of this node's outbox, also after other nodes took it for dead and emptied its queue. */
export async function scheduleOutboxSweep({ jobs, node }: Pick<Deps, "jobs" | "node">): Promise<void> {
  const queue = outboxSweepQueue(node.id);
  await jobs.schedule(queue, "57 * * * *", {});
  await jobs.enqueue(queue, {});
}
