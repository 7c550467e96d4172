import type { AdminPayment, Payment, PaymentListQuery } from "../../../shared/api/payments.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { Session } from "../../http/session.ts";
import { listDevolucoes, listDevolucoesOf } from "./devolucoes.repo.ts";
import { enqueueCheck } from "./payment-queues.ts";
import { paymentNotFound } from "./payments.errors.ts";
import { findPayment, findPaymentOf, listPaymentPage, listPaymentsOf } from "./payments.repo.ts";
import { presentAdminPayment, presentPayment } from "./present-payment.ts";

/**
 * Reads a payment of the caller; admins may read any. While its dialog is open, the PSP is asked in the background, so that a
 * lost webhook delays it only by seconds.
 * @throws {AppError} `payment.not_found`
 */
export async function readPayment(
  deps: Pick<Deps, "db" | "clock" | "jobs">,
  session: Session,
  id: string,
): Promise<Payment> {
  const { db, clock } = deps;
  const isAdmin = session.role === "admin";
  const payment = isAdmin ? await findPayment(db, id) : await findPaymentOf(db, session.userId, id);
  if (!payment) throw new AppError(paymentNotFound);
  if (payment.status === "pending" && payment.provider === "bacen") await enqueueCheck(deps, payment);
  return presentPayment(payment, clock.now(), await listDevolucoes(db, id));
}

/** The caller's payments, newest first. */
export async function readPaymentHistory(
  deps: Pick<Deps, "db" | "clock">,
  userId: string,
  limit: number,
): Promise<Payment[]> {
  const now = deps.clock.now();
  const rows = await listPaymentsOf(deps.db, userId, limit);
  const returned = await listDevolucoesOf(deps.db, ids(rows));
  return rows.map((row) => presentPayment(row, now, returned.get(row.id)));
}

/** All accounts' payments, for admins. */
export async function readPayments(
  deps: Pick<Deps, "db" | "clock">,
  query: PaymentListQuery,
): Promise<{ payments: AdminPayment[]; total: number }> {
  const now = deps.clock.now();
  const { rows, total } = await listPaymentPage(deps.db, query, now);
  const returned = await listDevolucoesOf(deps.db, ids(rows.map(({ payment }) => payment)));
  const payments = rows.map((row) => presentAdminPayment(row, now, returned.get(row.payment.id) ?? []));
  return { payments, total };
}

function ids(rows: { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
