import { and, eq, gt, gte, isNotNull, lte, ne, type SQL, sql } from "drizzle-orm";
import type { Tx } from "../../../db/client.ts";
import { payments } from "../payments.table.ts";

/** Ends what an account has paid for: after a cancellation nothing of it is left to refund, unless that is undone. */
export async function endPeriods(tx: Tx, userId: string, now: Date): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`;
  await tx
    .update(payments)
    .set({ periodEnd: sql`greatest(${payments.periodStart}, least(${payments.periodEnd}, ${at}))` })
    .where(and(eq(payments.userId, userId), eq(payments.status, "paid"), isNotNull(payments.periodEnd)));
}

/** Ends, for good, what an account has paid for: its subscription begins anew. A period still to come has none left. */
export async function closePeriods(tx: Tx, userId: string, now: Date): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`;
  await tx
    .update(payments)
    .set({
      periodStart: sql`least(${payments.periodStart}, ${at})`,
      periodEnd: sql`least(${payments.periodEnd}, ${at})`,
    })
    .where(and(eq(payments.userId, userId), eq(payments.status, "paid"), gt(payments.periodEnd, now)));
}

/** Gives the periods back that {@link endPeriods} ended at `endedAt`, since that is undone. */
export async function reopenPeriods(tx: Tx, userId: string, endedAt: Date): Promise<void> {
  await tx
    .update(payments)
    .set({ periodEnd: boughtEnd })
    .where(and(eq(payments.userId, userId), eq(payments.status, "paid"), wasEndedAt(endedAt)));
}

/** How much of what {@link endPeriods} ended at `endedAt` was refunded since, in milliseconds. */
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
        // A refund before took its time off the subscription's end then.
        gte(payments.refundedAt, endedAt),
        // And what was chosen since was no part of it.
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

/** Moves the periods that follow one which was refunded. */
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
