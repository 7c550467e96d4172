import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import type { PaymentRow } from "./payments.table.ts";

/** The minimum pause between two look-ups of one charge, whatever triggers them. */
export const checkPauseMs = 10_000;

/** Asks the PSP about a charge; at most one job per txid. */
export const checkQueue = defineQueue<{ txid: string }>("pix.check", {
  exclusive: true,
  retryLimit: 1,
  expireInSeconds: 60,
});

/** Like {@link checkQueue}, for paid charges: a separate queue, so that they do not delay charges that are being paid. */
export const returnQueue = defineQueue<{ txid: string }>("pix.returns", {
  exclusive: true,
  retryLimit: 1,
  expireInSeconds: 60,
});

/** Completes a refund; at most one job per payment. */
export const refundQueue = defineQueue<{ paymentId: string }>("pix.refund", {
  exclusive: true,
  retryLimit: 1,
  expireInSeconds: 60,
});

/** Enqueues a look-up of a charge, to run as soon as {@link checkPauseMs} allows. */
export async function enqueueCheck(
  deps: Pick<Deps, "jobs" | "clock">,
  payment: Pick<PaymentRow, "txid" | "checkedAt">,
): Promise<void> {
  const idleMs = payment.checkedAt ? deps.clock.now().getTime() - payment.checkedAt.getTime() : checkPauseMs;
  // At once also if the clock was ahead at the last look-up, and was set back.
  const runAfterSeconds = Math.abs(idleMs) < checkPauseMs ? Math.ceil((checkPauseMs - idleMs) / 1000) : 0;
  await deps.jobs.enqueue(
    checkQueue,
    { txid: payment.txid },
    { singletonKey: payment.txid, ...(runAfterSeconds > 0 && { runAfterSeconds }) },
  );
}
