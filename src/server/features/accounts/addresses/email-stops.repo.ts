import { and, eq, gt, gte, lte, ne, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { emailStops } from "../accounts.table.ts";

export type EmailStopRow = typeof emailStops.$inferSelect;

export async function insertStop(tx: Tx, row: EmailStopRow): Promise<void> {
  await tx.insert(emailStops).values(row);
}

export async function countStops(tx: Tx, userId: string, now: Date): Promise<number> {
  return await tx.$count(emailStops, and(eq(emailStops.userId, userId), gt(emailStops.expiresAt, now)));
}

export async function findStop(tx: Tx, tokenHash: string, now: Date): Promise<EmailStopRow | undefined> {
  const [row] = await tx
    .select()
    .from(emailStops)
    .where(and(eq(emailStops.tokenHash, tokenHash), gt(emailStops.expiresAt, now)));
  return row;
}

/** Uses up a stop and all stops of later changes. Returns `false` if another caller used it first. */
export async function takeStop(tx: Tx, { tokenHash, userId, askedAt }: EmailStopRow): Promise<boolean> {
  const taken = await tx
    .delete(emailStops)
    .where(eq(emailStops.tokenHash, tokenHash))
    .returning({ userId: emailStops.userId });
  await tx.delete(emailStops).where(and(eq(emailStops.userId, userId), gte(emailStops.askedAt, askedAt)));
  return taken.length === 1;
}

export async function deleteStops(tx: Tx, userId: string): Promise<void> {
  await tx.delete(emailStops).where(eq(emailStops.userId, userId));
}

/** Whether an account other than `userId` gave the address up recently and may still take it back. */
export async function isKeptForAnother(tx: Tx, email: string, userId: string, now: Date): Promise<boolean> {
  const isItsOwn = eq(sql`lower(${emailStops.oldEmail})`, email.toLowerCase());
  const isAnothers = and(isItsOwn, ne(emailStops.userId, userId), gt(emailStops.expiresAt, now));
  return (await tx.$count(emailStops, isAnothers)) > 0;
}

export async function deleteExpiredStops(db: DbOrTx, now: Date): Promise<void> {
  await db.delete(emailStops).where(lte(emailStops.expiresAt, now));
}

/** Former addresses that an account may still take back; at most 1,000. */
export async function listFormerAddresses(db: DbOrTx, userId: string) {
  return await db
    .select({ email: emailStops.oldEmail, changedAt: emailStops.askedAt, expiresAt: emailStops.expiresAt })
    .from(emailStops)
    .where(eq(emailStops.userId, userId))
    .limit(1_000);
}
