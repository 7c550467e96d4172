import type { Tx } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { defineQueue } from "../jobs/queue.ts";
import type { Mail } from "./mailer.ts";

/** Mails wait in the database, sealed (they carry codes and links), until they were handed over. */
const outgoing = defineQueue<{ sealed: string }>("mail.send", {
  retryLimit: 20,
  retryDelaySeconds: 10,
  retryDelayMaxSeconds: 1800,
  expireInSeconds: 120,
});

/** Has a mail sent, if the transaction commits; never waits for the mail server. */
export async function enqueueMail(deps: Pick<Deps, "jobs" | "mailSeal">, tx: Tx, mail: Mail): Promise<void> {
  await deps.jobs.enqueue(outgoing, { sealed: deps.mailSeal.close(mail) }, { tx });
}

export async function startMailJobs({ jobs, mailer, mailSeal }: Deps): Promise<void> {
  await jobs.work(outgoing, ({ sealed }) => mailer.send(mailSeal.open(sealed) as Mail), { concurrency: 2 });
}
