import type { Payment } from "../../../shared/api/payments.ts";
import {
  isInForce,
  periodDays,
  pixLifetimeSeconds,
  tooSmallFor,
} from "../../../shared/rules/subscription.ts";
import { HOUR_MS } from "../../../shared/units.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { unauthenticated } from "../../http/http.errors.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { byAccount } from "../../mail/mail-budget.ts";
import { type Pix, PixError } from "../../pix/pix.ts";
import { lockUser } from "../accounts/users/users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { type NotifyDeps, notifyAdmins } from "../notifications/notify.ts";
import { sumStorage } from "../subscriptions/storage.repo.ts";
import { gigabytesOf } from "../subscriptions/storage-quota.ts";
import { planNotFound, planTooSmall, planTooSmallForBytes } from "../subscriptions/subscriptions.errors.ts";
import {
  findOfferedPlan,
  findSubscription,
  insertPendingSubscription,
  type PlanRow,
} from "../subscriptions/subscriptions.repo.ts";
import { pixNotConfigured, pixUnavailable, planEndless, tooManyPayments } from "./payments.errors.ts";
import {
  attachBrCode,
  countPaymentsSince,
  failUncharged,
  findOpenPayment,
  findPayment,
  insertPayment,
} from "./payments.repo.ts";
import type { PaymentRow } from "./payments.table.ts";
import { presentPayment } from "./present-payment.ts";

const PER_HOUR = 20;

/**
 * Starts a payment for a plan, or returns the one that is already open for it. The row is committed before the PSP is asked,
 * outside of any transaction, so that every charge at the PSP is known here. If the PSP is unreachable, the row stays without
 * a code and the next call asks again for the same txid. A charge that the PSP rejects permanently ends as failed.
 * @throws {AppError} `plan.not_found`, `plan.too_small`, `plan.already_endless`, `payment.too_many`, `pix.not_configured`,
 *   `pix.unavailable`
 */
export async function createPayment(
  deps: Pick<Deps, "db" | "pix" | "log"> & NotifyDeps,
  userId: string,
  planId: string,
  origin: RequestOrigin,
): Promise<Payment> {
  const { db, pix } = deps;
  if (!pix) throw new AppError(pixNotConfigured);
  const payment = await db.transaction((tx) => openPayment(deps, pix, tx, { userId, planId }, origin));
  if (payment.brCode !== null) return presentPayment(payment, deps.clock.now());
  await askForCode(deps, pix, payment);
  const charged = await findPayment(db, payment.id);
  return presentPayment(charged ?? payment, deps.clock.now());
}

async function openPayment(
  deps: NotifyDeps,
  pix: Pix,
  tx: Tx,
  wanted: { userId: string; planId: string },
  origin: RequestOrigin,
): Promise<PaymentRow> {
  const { userId, planId } = wanted;
  // One at a time per account, so that two tabs get the same payment.
  if (!(await lockUser(tx, userId))) throw new AppError(unauthenticated);
  const now = deps.clock.now();
  const plan = await findOfferedPlan(tx, planId);
  if (!plan) throw new AppError(planNotFound);
  await assertCanPay(tx, userId, plan, now);
  // Nobody would notice that the code of a former provider is paid.
  const open = await findOpenPayment(tx, userId, now, { planId, provider: pix.provider });
  if (open) return open;
  if ((await countPaymentsSince(tx, userId, new Date(now.getTime() - HOUR_MS))) >= PER_HOUR)
    throw new AppError(tooManyPayments, { retryAfterSeconds: HOUR_MS / 1000 });
  const payment = await insertPayment(tx, {
    id: Bun.randomUUIDv7(),
    userId,
    planId,
    planName: plan.name,
    amountCents: plan.priceCents,
    periodDays: periodDays(plan),
    provider: pix.provider,
    txid: pix.newTxid(),
    status: "pending",
    createdAt: now,
    expiresAt: new Date(now.getTime() + pixLifetimeSeconds * 1000),
  });
  await insertPendingSubscription(tx, { userId, planId, now });
  await recordAudit(tx, {
    at: now,
    action: "payment.created",
    actorId: userId,
    accountId: userId,
    details: { paymentId: payment.id, plan: plan.slug, amountCents: plan.priceCents },
    ...origin,
  });
  if (pix.provider === "local") {
    await notifyAdmins(deps, tx, {
      event: "payment.waiting",
      subjectId: payment.id,
      actorId: userId,
      details: { amount: payment.amountCents, planName: plan.name },
      cause: byAccount(userId, now),
    });
  }
  return payment;
}

async function assertCanPay(tx: Tx, userId: string, plan: PlanRow, now: Date): Promise<void> {
  const current = await findSubscription(tx, userId);
  if (!current) return;
  const { examCount, labExamCount } = current;
  // The current plan can always be renewed, even if an admin has reduced it since.
  if (current.planId !== plan.id) {
    const storageUsedBytes = await sumStorage(tx, userId);
    const lacks = tooSmallFor(plan, { ...current, storageUsedBytes });
    const count = Math.max(examCount, labExamCount);
    if (lacks === "exams") throw new AppError(planTooSmall, { values: { count, limit: plan.examLimit } });
    if (lacks === "storage") {
      throw new AppError(planTooSmallForBytes, { values: gigabytesOf(storageUsedBytes, plan.storageBytes) });
    }
  }
  const isEndless = current.planId === plan.id && current.expiresAt === null && isInForce(current, now);
  if (isEndless) throw new AppError(planEndless);
}

async function askForCode(
  deps: Pick<Deps, "db" | "clock" | "log" | "config">,
  pix: Pix,
  { id, txid, amountCents, planName }: PaymentRow,
): Promise<void> {
  try {
    const { brCode } = await pix.createCob({
      txid,
      amountCents,
      expiresInSeconds: pixLifetimeSeconds,
      description: `${deps.config.productName}: ${planName}`.slice(0, 140),
    });
    // `expiresAt` does not change: after a repeated call the charge may date from the first one.
    if (brCode !== undefined) await attachBrCode(deps.db, id, brCode);
  } catch (error) {
    if (!(error instanceof PixError)) throw error;
    // The PSP would reject it again, so the next call creates a new charge.
    if (error.kind === "rejected") await failUncharged(deps.db, id);
    throw new AppError(pixUnavailable, {
      detail: `${error.kind}: ${error.message}`,
      cause: error,
      retryAfterSeconds: error.retryAfterSeconds,
    });
  }
}
