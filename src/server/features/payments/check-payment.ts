import { DAY_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import { type Cob, PixError } from "../../pix/pix.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { sumReturnedCents } from "./merge-devolucoes.ts";
import { checkPauseMs } from "./payment-queues.ts";
import { claimCheck, endCode, lockPayment, updatePayment } from "./payments.repo.ts";
import type { PaymentRow } from "./payments.table.ts";
import { recordDevolucoes } from "./record-devolucoes.ts";
import { setRepeatedApart } from "./set-repeated-apart.ts";
import { settlePayment } from "./settlement/settle-payment.ts";

type CheckDeps = Pick<Deps, "db" | "clock" | "pix" | "jobs" | "mailSeal" | "config" | "log">;

/**
 * Asks the PSP about a charge that can be paid or whose money can be returned, and acts on its answer alone: only this marks
 * a payment paid or returned, whatever a webhook says. If the PSP is unreachable, the reconciliation asks again.
 */
export async function checkPayment(deps: CheckDeps, txid: string, signal?: AbortSignal): Promise<void> {
  const { db, clock, pix, log } = deps;
  if (!pix || pix.isConfirmedByHand) return;
  const payment = await claimCheck(db, txid, clock.now(), checkPauseMs);
  if (!payment) return;
  try {
    const cob = await pix.readCob(txid, signal);
    if (cob) await applyCob(deps, payment, cob);
  } catch (error) {
    if (!(error instanceof PixError)) throw error;
    log.warn("pix.check_failed", { paymentId: payment.id, kind: error.kind, detail: error.message });
  }
}

async function applyCob(deps: CheckDeps, payment: PaymentRow, cob: Cob): Promise<void> {
  const received = await setRepeatedApart(deps, payment, cob.pix);
  if (payment.status !== "pending") return await recordDevolucoes(deps, payment.id, received);
  const receivedCents = received.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const [first] = received;
  // The Pix decides before the status: one that arrives while its charge is withdrawn counts too.
  if (!first) return cob.pix.length === 0 ? await applyWithoutPix(deps, payment, cob) : undefined;
  if (cob.status === "ATIVA" && receivedCents < payment.amountCents) return;
  if (cob.amountCents !== payment.amountCents || receivedCents < payment.amountCents)
    await failPayment(deps, payment.id, "wrong_amount", first.endToEndId);
  else if (sumReturnedCents(received.flatMap(({ devolucoes }) => devolucoes)) >= receivedCents)
    // The money was returned before its arrival was known. It must not start a plan, which would end another.
    await failPayment(deps, payment.id, "returned", first.endToEndId);
  else {
    const { endToEndId, paidAt } = first;
    await deps.db.transaction((tx) => settlePayment(deps, tx, payment.id, { endToEndId, paidAt }));
  }
  await recordDevolucoes(deps, payment.id, received);
}

/** A Pix that was under way when its charge was withdrawn is listed within so long. */
const UNDER_WAY_MS = DAY_MS;

/**
 * A complete charge without its Pix stays open. One that was withdrawn can be paid no more, and fails once the PSP has had the time to list a
 * Pix that was under way.
 */
async function applyWithoutPix(
  deps: CheckDeps,
  { id: paymentId, expiresAt }: PaymentRow,
  { status }: Cob,
): Promise<void> {
  const now = deps.clock.now();
  if (status === "CONCLUIDA")
    deps.log.warn("pix.check_failed", { paymentId, kind: "unavailable", detail: "complete without a Pix" });
  else if (status !== "ATIVA") {
    if (expiresAt > now) await endCode(deps.db, paymentId, now);
    else if (now.getTime() >= expiresAt.getTime() + UNDER_WAY_MS)
      await failPayment(deps, paymentId, "removed");
  }
}

/** Fails a payment that brought no money or the wrong amount. `endToEndId` is set if there is money to return. */
async function failPayment(
  deps: CheckDeps,
  id: string,
  failure: "removed" | "wrong_amount" | "returned",
  endToEndId?: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const payment = await lockPayment(tx, id);
    if (payment?.status !== "pending") return;
    await updatePayment(tx, id, { status: "failed", failure, endToEndId });
    await recordAudit(tx, {
      at: deps.clock.now(),
      action: "payment.failed",
      actorId: null,
      accountId: payment.userId,
      details: { paymentId: id, failure },
    });
  });
}
