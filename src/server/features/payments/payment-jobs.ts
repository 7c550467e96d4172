import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import type { PaymentRow } from "./payments.table.ts";

/** How long a charge is left alone after a look-up, whatever asks for the next. */
export const checkPauseMs = 10_000;

/** Asks the PSP about a charge; at most one job a txid. */
export const checkQueue = defineQueue<{ txid: string }>("pix.check", {
  exclusive: true,
  retryLimit: 1,
  expireInSeconds: 60,
});

/** As {@link checkQueue}, for charges that are paid: apart, so that they keep none waiting that is being paid. */
export const returnQueue = defineQueue<{ txid: string }>("pix.returns", {
  exclusive: true,
  retryLimit: 1,
  expireInSeconds: 60,
});

/** Carries a refund to its end; at most one job a payment. */
export const refundQueue = defineQueue<{ paymentId: string }>("pix.refund", {
  exclusive: true,
  retryLimit: 1,
  expireInSeconds: 60,
});

/** Has the PSP asked about a charge, as soon as {@link checkPauseMs} allows. */
export async function enqueueCheck(
  deps: Pick<Deps, "jobs" | "clock">,
  payment: Pick<PaymentRow, "txid" | "checkedAt">,
): Promise<void> {
  const idleMs = payment.checkedAt ? deps.clock.now().getTime() - payment.checkedAt.getTime() : checkPauseMs;
  const runAfterSeconds = Math.max(0, Math.ceil((checkPauseMs - idleMs) / 1000));
  await deps.jobs.enqueue(
    checkQueue,
    { txid: payment.txid },
    { singletonKey: payment.txid, ...(runAfterSeconds > 0 && { runAfterSeconds }) },
  );
}
