import { DAY_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { PixError } from "../../pix/pix.ts";
import { checkPayment } from "./check-payment.ts";
import { checkQueue, refundQueue, returnQueue } from "./payment-queues.ts";
import { listDueTxids, listReturnableTxids, listUnfinishedRefunds } from "./payments.repo.ts";
import { carryOutRefund } from "./refund-payment.ts";
import { tellOfCertificate } from "./tell-of-certificate.ts";

const reconciliation = defineQueue("pix.reconcile", { retryLimit: 1 });
const registration = defineQueue("pix.register", {
  retryLimit: 20,
  retryDelaySeconds: 30,
  retryDelayMaxSeconds: 3600,
  expireInSeconds: 120,
});

const certificateWatch = defineQueue("pix.certificate", { retryLimit: 1 });

const PER_RUN = 200;
/**
 * A charge can be paid for half an hour, but whether it was may be known late: this server was off for days, or had a certificate that the
 * PSP no longer took. Old charges are looked up seldom.
 */
const LOOKS_BACK_MS = 30 * DAY_MS;

/** A payer may contest a Pix for 80 days (MED 2.0); the banks need some more days. */
const RETURNABLE_MS = 90 * DAY_MS;
/** At most one look-up per second: PSPs limit their rate. */
const RETURNS_PER_RUN = 60;

/** Checks charges and refunds at the PSP: when a webhook reports them, and every minute in case a webhook was lost. */
export async function startPaymentJobs(deps: Deps): Promise<void> {
  const { jobs, pix } = deps;
  if (!pix) return;
  await jobs.work(refundQueue, async ({ paymentId }, { signal }) => {
    await carryOutRefund(deps, paymentId, signal);
  });
  await jobs.work(checkQueue, ({ txid }, { signal }) => checkPayment(deps, txid, signal), { concurrency: 2 });
  await jobs.work(returnQueue, ({ txid }, { signal }) => checkPayment(deps, txid, signal));
  await jobs.work(reconciliation, () => reconcile(deps));
  await jobs.schedule(reconciliation, "* * * * *", {});
  await jobs.enqueue(reconciliation, {});
  await jobs.work(certificateWatch, () => tellOfCertificate(deps));
  await jobs.schedule(certificateWatch, "11 12 * * *", {});
  await jobs.enqueue(certificateWatch, {});
  if (deps.config.pix?.provider !== "bacen") return;
  const { webhookSecret } = deps.config.pix;
  const url = `${deps.config.publicUrl}/api/payments/webhook/${webhookSecret}`;
  await jobs.work(registration, async (_, { signal }) => {
    try {
      await pix.registerWebhook(url, signal);
    } catch (error) {
      // The database stores a job's error, so it must not contain the address, which holds a secret.
      const detail = error instanceof PixError ? `${error.kind}: ${error.message}` : "unexpected";
      deps.log.warn("pix.webhook_not_registered", { detail: detail.replaceAll(webhookSecret, "…") });
      throw new Error("the webhook could not be registered");
    }
  });
  await jobs.enqueue(registration, {});
}

/** Enqueues look-ups of charges that are open and due or whose money may have been returned, and resumes unfinished refunds. */
async function reconcile(deps: Pick<Deps, "db" | "clock" | "jobs">): Promise<void> {
  const { db, clock, jobs } = deps;
  const now = clock.now();
  const since = new Date(now.getTime() - LOOKS_BACK_MS);
  for (const txid of await listDueTxids(db, since, now, PER_RUN))
    await jobs.enqueue(checkQueue, { txid }, { singletonKey: txid });
  const receivedSince = new Date(now.getTime() - RETURNABLE_MS);
  for (const txid of await listReturnableTxids(db, receivedSince, now, RETURNS_PER_RUN))
    await jobs.enqueue(returnQueue, { txid }, { singletonKey: txid });
  for (const paymentId of await listUnfinishedRefunds(db, PER_RUN))
    await jobs.enqueue(refundQueue, { paymentId }, { singletonKey: paymentId });
}
