import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { ReceivedPix } from "../../pix/pix.ts";
import { mailOperator } from "../accounts/users/mail-operator.ts";
import { mailUser } from "../accounts/users/mail-user.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { listDevolucoes, saveDevolucoes } from "./devolucoes.repo.ts";
import { mergeDevolucoes, type NewDevolucao, sumReturnedCents } from "./merge-devolucoes.ts";
import { partlyReturnedMail, returnToldMail } from "./payment-mails.ts";
import type { PaymentRow } from "./payments.table.ts";
import { type LockedPayment, lockPaymentOfAccount, settleRefund } from "./settlement/settle-refund.ts";

type ReturnDeps = Pick<Deps, "db" | "clock" | "jobs" | "mailSeal" | "config">;

/**
 * Stores the devoluções of a payment from the PSP's answer. A full return ends what the payment bought. A partial return is
 * shown, mailed to the user and the operator, and left for an admin to decide. Idempotent, and safe if two answers arrive at
 * once.
 */
export async function recordDevolucoes(
  deps: ReturnDeps,
  paymentId: string,
  pix: ReceivedPix[],
): Promise<void> {
  if (pix.every(({ devolucoes }) => devolucoes.length === 0)) return;
  await deps.db.transaction(async (tx) => {
    const locked = await lockPaymentOfAccount(tx, paymentId);
    if (!locked || locked.payment.status === "pending") return;
    const known = await listDevolucoes(tx, paymentId);
    const changes = mergeDevolucoes(known, pix);
    await saveDevolucoes(tx, paymentId, changes, deps.clock.now());
    const before = new Set(known.filter(isBack).map(({ id }) => id));
    const newlyReturned = [...changes.added, ...changes.changed.filter(({ id }) => !before.has(id))].filter(
      isBack,
    );
    if (newlyReturned.length > 0) await applyReturns(deps, tx, locked, { newlyReturned, pix });
  });
}

const isBack = ({ status }: Pick<NewDevolucao, "status">) => status === "DEVOLVIDO";

async function applyReturns(
  deps: ReturnDeps,
  tx: Tx,
  { payment, user }: LockedPayment,
  { newlyReturned, pix }: { newlyReturned: NewDevolucao[]; pix: ReceivedPix[] },
): Promise<void> {
  const returnedCents = sumReturnedCents(await listDevolucoes(tx, payment.id));
  const isWhole = returnedCents >= receivedCents(payment, pix);
  const isOwn = ({ devolucaoId }: NewDevolucao) => devolucaoId === payment.devolucaoId;
  const others = newlyReturned.filter((devolucao) => !isOwn(devolucao));
  if (others.length > 0 && payment.status !== "refunded") {
    await recordAudit(tx, {
      at: deps.clock.now(),
      action: "payment.returned",
      actorId: null,
      accountId: payment.userId,
      details: {
        paymentId: payment.id,
        amountCents: sumReturnedCents(others),
        naturezas: naturezasOf(others),
      },
    });
    const naturezas = naturezasOf(others);
    const told = { payment, publicUrl: deps.config.publicUrl, returnedCents, naturezas, isWhole };
    await mailOperator(deps, tx, (locale) => returnToldMail({ ...told, locale }));
  }
  // An admin's refund ends the period even if more than the price had arrived.
  if (isWhole || newlyReturned.some(isOwn)) {
    await settleRefund(deps, tx, payment.id, others.length > 0 ? "psp" : "admin");
    return;
  }
  if (others.length === 0 || payment.status === "refunded" || !user) return;
  const { locale } = user;
  await mailUser(deps, tx, user, partlyReturnedMail({ payment, returnedCents, locale }));
}

/**
 * In cents. At least the price of a paid payment: if the PSP's answer omits a Pix, a partial return must not count as a full
 * one.
 */
function receivedCents({ status, amountCents }: PaymentRow, pix: ReceivedPix[]): number {
  const received = pix.reduce((sum, { amountCents }) => sum + amountCents, 0);
  return status === "failed" ? received : Math.max(received, amountCents);
}

function naturezasOf(devolucoes: NewDevolucao[]): string[] {
  return [...new Set(devolucoes.map(({ natureza }) => natureza))];
}
