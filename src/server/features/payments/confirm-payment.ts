import type { SettledPayment } from "../../../shared/api/payments.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { notConfirmable, paymentNotFound } from "./payments.errors.ts";
import { findPayment, findPaymentWithUser } from "./payments.repo.ts";
import { presentAdminPayment } from "./present-payment.ts";
import { settlePayment } from "./settlement/settle-payment.ts";

/**
 * An admin confirms that the money of a `local` payment arrived in their bank account. Works after it expired too.
 * Idempotent.
 * @throws {AppError} `payment.not_found`; `payment.not_confirmable` if a PSP reports the payment itself, or it has failed
 */
export async function confirmPayment(
  deps: Pick<Deps, "db" | "clock" | "jobs" | "mailSeal" | "config">,
  admin: Session,
  id: string,
  origin: RequestOrigin,
): Promise<SettledPayment> {
  const { db, clock } = deps;
  const payment = await findPayment(db, id);
  if (!payment) throw new AppError(paymentNotFound);
  if (payment.provider !== "local" || payment.status === "failed") throw new AppError(notConfirmable);
  const settlement = { paidAt: clock.now(), confirmedBy: admin.userId };
  const isSettled = await db.transaction((tx) => settlePayment(deps, tx, id, settlement, origin));
  const confirmed = await findPaymentWithUser(db, id);
  if (!confirmed) throw new AppError(paymentNotFound);
  return { ...presentAdminPayment(confirmed, clock.now(), []), wasSettledBefore: !isSettled };
}
