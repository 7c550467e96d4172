import { and, asc, eq, gt, gte, isNotNull, lte, ne, type SQL, sql } from "drizzle-orm";
import type { Period } from "../../../../shared/rules/subscription.ts";
import type { Tx } from "../../../db/client.ts";
import { payments } from "../payments.table.ts";

/** Ends an account's paid periods after a cancellation, so that nothing is left to refund unless the cancellation is undone. */
export async function endPeriods(tx: Tx, userId: string, now: Date): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`;
  await tx
    .update(payments)
    .set({ periodEnd: sql`greatest(${payments.periodStart}, least(${payments.periodEnd}, ${at}))` })
    .where(and(eq(payments.userId, userId), eq(payments.status, "paid"), isNotNull(payments.periodEnd)));
}

/**
 * Ends an account's paid periods permanently at the moment at which the next one begins: its subscription starts over, or an admin
 * has moved its end to there. A period after it becomes empty.
 */
export async function closePeriods(tx: Tx, userId: string, beginning: Date): Promise<void> {
  const at = sql`${beginning.toISOString()}::timestamptz`;
  await tx
    .update(payments)
    .set({
      periodStart: sql`least(${payments.periodStart}, ${at})`,
      periodEnd: sql`least(${payments.periodEnd}, ${at})`,
    })
    .where(and(eq(payments.userId, userId), eq(payments.status, "paid"), gt(payments.periodEnd, beginning)));
}

/** The first period of an account's plan that still runs and was paid after `paidAt`. */
export async function findLaterPeriod(
  tx: Tx,
  { userId, planId }: { userId: string; planId: string },
  paidAt: Date,
  now: Date,
): Promise<Period | undefined> {
  const { periodStart, periodEnd } = payments;
  const [row] = await tx
    .select({ start: periodStart, end: periodEnd })
    .from(payments)
    .where(
      and(
        eq(payments.userId, userId),
        eq(payments.planId, planId),
        eq(payments.status, "paid"),
        gt(payments.paidAt, paidAt),
        gt(periodEnd, now),
      ),
    )
    .orderBy(asc(periodStart))
    .limit(1);
  return row?.start && row.end ? { start: row.start, end: row.end } : undefined;
}

/** Restores the periods that {@link endPeriods} ended at `endedAt`, because the cancellation was undone. */
export async function reopenPeriods(tx: Tx, userId: string, endedAt: Date): Promise<void> {
  await tx
    .update(payments)
    .set({ periodEnd: boughtEnd })
    .where(and(eq(payments.userId, userId), eq(payments.status, "paid"), wasEndedAt(endedAt)));
}

/** The time that {@link endPeriods} ended at `endedAt` and that was refunded since, in milliseconds. */
export async function sumRefundedMs(tx: Tx, userId: string, endedAt: Date): Promise<number> {
  const at = sql`${endedAt.toISOString()}::timestamptz`;
  const lost = sql`${boughtEnd} - greatest(${payments.periodStart}, ${at})`;
  const [row] = await tx
    .select({ ms: sql`coalesce(sum(extract(epoch from ${lost})) * 1000, 0)`.mapWith(Number) })
    .from(payments)
    .where(
      and(
        eq(payments.userId, userId),
        eq(payments.status, "refunded"),
        // An earlier refund has already shortened the subscription.
        gte(payments.refundedAt, endedAt),
        // A plan chosen later was not part of it.
        lte(payments.createdAt, endedAt),
        wasEndedAt(endedAt),
      ),
    );
  return row?.ms ?? 0;
}

const boughtEnd = sql`${payments.periodStart} + make_interval(hours => ${payments.periodDays} * 24)`;

function wasEndedAt(endedAt: Date): SQL | undefined {
  const at = sql`${endedAt.toISOString()}::timestamptz`;
  return and(
    sql`${payments.periodEnd} = greatest(${payments.periodStart}, ${at})`,
    sql`${boughtEnd} > ${payments.periodEnd}`,
  );
}

/** Moves the periods that follow a refunded one. */
export async function shiftPeriods(
  tx: Tx,
  userId: string,
  after: { periodStart: Date; paymentId: string },
  byMs: number,
): Promise<void> {
  const by = sql`make_interval(secs => ${byMs / 1000})`;
  await tx
    .update(payments)
    .set({
      periodStart: sql`${payments.periodStart} - ${by}`,
      periodEnd: sql`${payments.periodEnd} - ${by}`,
    })
    .where(
      and(
        eq(payments.userId, userId),
        eq(payments.status, "paid"),
        ne(payments.id, after.paymentId),
        gte(payments.periodStart, after.periodStart),
      ),
    );
}
