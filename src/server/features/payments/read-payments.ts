import type { AdminPayment, Payment, PaymentListQuery } from "../../../shared/api/payments.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { Session } from "../../http/session.ts";
import { enqueueCheck } from "./payment-jobs.ts";
import { paymentNotFound } from "./payments.errors.ts";
import { findPayment, findPaymentOf, listPaymentsOf, pageOfPayments } from "./payments.repo.ts";
import { presentAdminPayment, presentPayment } from "./present-payment.ts";

/**
 * One's own payment; admins any. While its dialog waits the PSP is asked in the background: a lost webhook costs
 * seconds then.
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
  return presentPayment(payment, clock.now());
}

/** One's own payments, newest first. */
export async function readPaymentHistory(
  deps: Pick<Deps, "db" | "clock">,
  userId: string,
  limit: number,
): Promise<Payment[]> {
  const now = deps.clock.now();
  return (await listPaymentsOf(deps.db, userId, limit)).map((row) => presentPayment(row, now));
}

/** Everybody's payments, for admins. */
export async function readPayments(
  deps: Pick<Deps, "db" | "clock">,
  query: PaymentListQuery,
): Promise<{ payments: AdminPayment[]; total: number }> {
  const now = deps.clock.now();
  const { rows, total } = await pageOfPayments(deps.db, query, now);
  return { payments: rows.map((row) => presentAdminPayment(row, now)), total };
}
