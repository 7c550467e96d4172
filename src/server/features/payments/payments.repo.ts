import { and, desc, eq, gt, gte, inArray, isNotNull, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { PaymentListQuery } from "../../../shared/api/payments.ts";
import { DAY_MS } from "../../../shared/units.ts";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { users } from "../accounts/users/users.table.ts";
import { type PaymentRow, payments } from "./payments.table.ts";

/** Nodes measure the same time with a small error. */
const AHEAD_MS = 10_000;

export async function insertPayment(tx: Tx, row: typeof payments.$inferInsert): Promise<PaymentRow> {
  const [inserted] = await tx.insert(payments).values(row).returning();
  if (!inserted) throw new Error("the payment was not inserted");
  return inserted;
}

export async function findPayment(db: DbOrTx, id: string): Promise<PaymentRow | undefined> {
  const [row] = await db.select().from(payments).where(eq(payments.id, id));
  return row;
}

export async function findPaymentOf(db: DbOrTx, userId: string, id: string): Promise<PaymentRow | undefined> {
  const [row] = await db
    .select()
    .from(payments)
    .where(and(eq(payments.id, id), eq(payments.userId, userId)));
  return row;
}

/** The row, locked until the transaction ends. */
export async function lockPayment(tx: Tx, id: string): Promise<PaymentRow | undefined> {
  const [row] = await tx.select().from(payments).where(eq(payments.id, id)).for("update");
  return row;
}

/** The PSP no longer takes the code of a payment that was made while the clock was ahead, which was set back. */
function isPayable(now: Date): SQL | undefined {
  const isMade = lte(payments.createdAt, new Date(now.getTime() + AHEAD_MS));
  return and(eq(payments.status, "pending"), gt(payments.expiresAt, now), isMade);
}

/** The newest payment that can still be paid, limited to one plan and provider if `of` is given. */
export async function findOpenPayment(
  db: DbOrTx,
  userId: string,
  now: Date,
  of?: Pick<PaymentRow, "planId" | "provider">,
): Promise<PaymentRow | undefined> {
  const [row] = await db
    .select()
    .from(payments)
    .where(
      and(
        eq(payments.userId, userId),
        isPayable(now),
        of && and(eq(payments.planId, of.planId), eq(payments.provider, of.provider)),
      ),
    )
    .orderBy(desc(payments.id))
    .limit(1);
  return row;
}

/** The newest open payment of each account that has one, as a part of another statement. */
export function openPayments(db: DbOrTx, now: Date) {
  return db
    .selectDistinctOn([payments.userId], { userId: payments.userId, id: payments.id })
    .from(payments)
    .where(isPayable(now))
    .orderBy(payments.userId, desc(payments.id))
    .as("open_payments");
}

export async function countPaymentsSince(db: DbOrTx, userId: string, since: Date): Promise<number> {
  return await db.$count(payments, and(eq(payments.userId, userId), gte(payments.createdAt, since)));
}

/** Stores the PSP's code for a new charge; a code that another tab stored first stays. */
export async function attachBrCode(db: DbOrTx, id: string, brCode: string): Promise<void> {
  await db
    .update(payments)
    .set({ brCode })
    .where(and(eq(payments.id, id), eq(payments.status, "pending"), isNull(payments.brCode)));
}

/** Ends the time in which an open payment can be paid. */
export async function endCode(db: DbOrTx, id: string, now: Date): Promise<void> {
  await db
    .update(payments)
    .set({ expiresAt: now })
    .where(and(eq(payments.id, id), eq(payments.status, "pending"), gt(payments.expiresAt, now)));
}

/** Fails a payment whose charge the PSP refuses to create. */
export async function failUncharged(db: DbOrTx, id: string): Promise<void> {
  await db
    .update(payments)
    .set({ status: "failed", failure: "rejected" })
    .where(and(eq(payments.id, id), eq(payments.status, "pending"), isNull(payments.brCode)));
}

/** The Pix among `endToEndIds` that other payments have. */
export async function findPixOfOthers(
  db: DbOrTx,
  id: string,
  endToEndIds: string[],
): Promise<Pick<PaymentRow, "id" | "txid" | "endToEndId">[]> {
  if (endToEndIds.length === 0) return [];
  return await db
    .select({ id: payments.id, txid: payments.txid, endToEndId: payments.endToEndId })
    .from(payments)
    .where(and(ne(payments.id, id), inArray(payments.endToEndId, endToEndIds)));
}

/** Notes that an open payment is listed with the Pix of another one. Returns whether that is new. */
export async function markRepeated(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx
    .update(payments)
    .set({ failure: "repeated_pix" })
    .where(and(eq(payments.id, id), eq(payments.status, "pending"), isNull(payments.failure)))
    .returning({ id: payments.id });
  return rows.length > 0;
}

export async function updatePayment(
  db: DbOrTx,
  id: string,
  values: Partial<typeof payments.$inferInsert>,
): Promise<void> {
  await db.update(payments).set(values).where(eq(payments.id, id));
}

/** An account's payments, newest first. */
export async function listPaymentsOf(db: DbOrTx, userId: string, limit: number): Promise<PaymentRow[]> {
  return await db
    .select()
    .from(payments)
    .where(eq(payments.userId, userId))
    .orderBy(desc(payments.id))
    .limit(limit);
}

export interface PaymentWithUser {
  payment: PaymentRow;
  user: { id: string; name: string; email: string } | null;
}

const withUser = { payment: payments, user: { id: users.id, name: users.name, email: users.email } };

/** A page of all payments, newest first, limited to one status (as of `now`) if the query has one. */
export async function listPaymentPage(
  db: DbOrTx,
  query: PaymentListQuery,
  now: Date,
): Promise<{ rows: PaymentWithUser[]; total: number }> {
  const filter = query.status && hasStatus(query.status, now);
  const rows = await db
    .select(withUser)
    .from(payments)
    .leftJoin(users, eq(users.id, payments.userId))
    .where(filter)
    .orderBy(desc(payments.id))
    .limit(query.limit)
    .offset(query.offset);
  return { rows, total: await db.$count(payments, filter) };
}

/** How long a `local` payment waits for an admin, who checks the bank statement by hand. */
const UNCONFIRMED_MS = 7 * DAY_MS;

function hasStatus(status: NonNullable<PaymentListQuery["status"]>, now: Date): SQL | undefined {
  if (status === "expired") return and(eq(payments.status, "pending"), lte(payments.expiresAt, now));
  const isOpen = gt(payments.expiresAt, now);
  if (status === "pending") return and(eq(payments.status, "pending"), or(isOpen, isUnconfirmed(now)));
  return eq(payments.status, status);
}

/** A `local` payment, at most some days old: only an admin can know whether it was paid. */
function isUnconfirmed(now: Date): SQL | undefined {
  const since = new Date(now.getTime() - UNCONFIRMED_MS);
  return and(eq(payments.status, "pending"), eq(payments.provider, "local"), gte(payments.createdAt, since));
}

export async function findPaymentWithUser(db: DbOrTx, id: string): Promise<PaymentWithUser | undefined> {
  const [row] = await db
    .select(withUser)
    .from(payments)
    .leftJoin(users, eq(users.id, payments.userId))
    .where(eq(payments.id, id));
  return row;
}

/** The money arrived at the PSP and is not known to be returned in full. */
const isReturnable = or(
  eq(payments.status, "paid"),
  and(eq(payments.status, "failed"), isNotNull(payments.endToEndId)),
);
const isWatched = and(sql`${payments.provider} = 'bacen'`, or(eq(payments.status, "pending"), isReturnable));

/** The charges among `txids` that are at the PSP and can still be paid or returned. */
export async function listWatchedCharges(
  db: DbOrTx,
  txids: string[],
): Promise<Pick<PaymentRow, "txid" | "checkedAt">[]> {
  if (txids.length === 0) return [];
  return await db
    .select({ txid: payments.txid, checkedAt: payments.checkedAt })
    .from(payments)
    .where(and(inArray(payments.txid, txids), isWatched));
}

/** Its last look-up was before `latest`, or at a time that has yet to come: the clock was ahead, and was set back. */
function isLookUpDue(latest: SQL, now: Date): SQL | undefined {
  const { checkedAt } = payments;
  return or(
    isNull(checkedAt),
    sql`${checkedAt} <= ${latest}`,
    gt(checkedAt, new Date(now.getTime() + AHEAD_MS)),
  );
}

/**
 * Claims the look-up of a charge if its last one is at least `minAgeMs` old. Returns `undefined` if it is too soon or nothing
 * can change.
 */
export async function claimCheck(
  db: DbOrTx,
  txid: string,
  now: Date,
  minAgeMs: number,
): Promise<PaymentRow | undefined> {
  const latest = sql`${new Date(now.getTime() - minAgeMs).toISOString()}::timestamptz`;
  const [row] = await db
    .update(payments)
    .set({ checkedAt: now })
    .where(and(eq(payments.txid, txid), isWatched, isLookUpDue(latest, now)))
    .returning();
  return row;
}

/**
 * Open charges created after `since` that are due for a look-up: every minute while new, less often with age. The newest come first:
 * somebody may look at their code.
 */
export async function listDueTxids(db: DbOrTx, since: Date, now: Date, limit: number): Promise<string[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const pause = sql`greatest(interval '1 minute', (${at} - ${payments.createdAt}) / 10)`;
  const rows = await db
    .select({ txid: payments.txid })
    .from(payments)
    .where(
      and(
        eq(payments.status, "pending"),
        eq(payments.provider, "bacen"),
        gte(payments.createdAt, since),
        isLookUpDue(sql`${at} - ${pause}`, now),
      ),
    )
    .orderBy(desc(payments.createdAt))
    .limit(limit);
  return rows.map((row) => row.txid);
}

/**
 * Charges whose money arrived after `since` and may have been returned: due every hour at first, less often with age, and
 * daily in the end. Those that waited longest come first, so that under load each is checked less often but none is skipped.
 */
export async function listReturnableTxids(
  db: DbOrTx,
  since: Date,
  now: Date,
  limit: number,
): Promise<string[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const receivedAt = sql`coalesce(${payments.paidAt}, ${payments.createdAt})`;
  const pause = sql`least(interval '1 day', greatest(interval '1 hour', (${at} - ${receivedAt}) / 24))`;
  const rows = await db
    .select({ txid: payments.txid })
    .from(payments)
    .where(
      and(
        sql`${payments.provider} = 'bacen'`,
        isReturnable,
        sql`${receivedAt} >= ${since.toISOString()}::timestamptz`,
        isLookUpDue(sql`${at} - ${pause}`, now),
      ),
    )
    .orderBy(sql`${payments.checkedAt} nulls first`)
    .limit(limit);
  return rows.map((row) => row.txid);
}

/** Payments with a refund that was requested and is not finished. */
export async function listUnfinishedRefunds(db: DbOrTx, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.devolucaoStatus, "EM_PROCESSAMENTO"), ne(payments.status, "refunded")))
    .orderBy(payments.id)
    .limit(limit);
  return rows.map((row) => row.id);
}

/** Counts the local payments that wait for an admin, including those whose code expired. */
export async function countUnconfirmed(db: DbOrTx, now: Date): Promise<number> {
  return await db.$count(payments, isUnconfirmed(now));
}
