import { and, desc, eq, inArray, or, sql } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "../../db/client.ts";
import { users } from "../accounts/users/users.table.ts";
import { type ReceiverRow, receivers, retiredTitles } from "./receivers.table.ts";

/** Returns `false` if another receiver of the server has the title. */
export async function insertReceiver(tx: Tx, row: typeof receivers.$inferInsert): Promise<boolean> {
  const inserted = await tx
    .insert(receivers)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: receivers.id });
  return inserted.length === 1;
}

/**
 * Takes a title up for an account. Returns `false` if another account's receiver had it within a year: that one's senders may still
 * have it. To be called after {@link insertReceiver}, which waits for a receiver that is ending at the same moment.
 */
export async function takeUpTitle(
  tx: Tx,
  { aeTitle, accountId }: Pick<ReceiverRow, "aeTitle" | "accountId">,
): Promise<boolean> {
  const own = eq(retiredTitles.accountId, accountId);
  const isFree = or(own, sql`${retiredTitles.retiredAt} <= now() - interval '1 year'`);
  await tx.delete(retiredTitles).where(and(eq(retiredTitles.aeTitle, aeTitle), isFree));
  return (await tx.$count(retiredTitles, eq(retiredTitles.aeTitle, aeTitle))) === 0;
}

/** Frees a title that is kept for the account that had it. Returns `false` if it is not kept. */
export async function freeTitle(db: Db, aeTitle: string): Promise<boolean> {
  const rows = await db
    .delete(retiredTitles)
    .where(eq(retiredTitles.aeTitle, aeTitle))
    .returning({ aeTitle: retiredTitles.aeTitle });
  return rows.length === 1;
}

export async function countReceivers(db: DbOrTx, accountId: string): Promise<number> {
  return await db.$count(receivers, eq(receivers.accountId, accountId));
}

/** The newest first. */
export async function listReceivers(db: DbOrTx, accountId: string): Promise<ReceiverRow[]> {
  return await db
    .select()
    .from(receivers)
    .where(eq(receivers.accountId, accountId))
    .orderBy(desc(receivers.id));
}

/** Returns the deleted row; `undefined` if the account has no such receiver. */
export async function deleteReceiver(
  tx: Tx,
  { id, accountId }: Pick<ReceiverRow, "id" | "accountId">,
): Promise<ReceiverRow | undefined> {
  const [row] = await tx
    .delete(receivers)
    .where(and(eq(receivers.id, id), eq(receivers.accountId, accountId)))
    .returning();
  return row;
}

export async function findReceiver(db: DbOrTx, aeTitle: string): Promise<ReceiverRow | undefined> {
  const [row] = await db.select().from(receivers).where(eq(receivers.aeTitle, aeTitle));
  return row;
}

/** A sender, and when it was seen. */
export interface SeenSender {
  at: Date;
  callingAETitle: string;
  address: string;
}

/** Counts received instances; returns `false` if the receiver was removed, or its account blocked. */
export async function countReceived(
  db: DbOrTx,
  id: string,
  instances: number,
  seen: SeenSender,
): Promise<boolean> {
  const { at, callingAETitle, address } = seen;
  const allowed = db.select({ id: users.id }).from(users).where(eq(users.isAuthorized, true));
  const counted = await db
    .update(receivers)
    .set({
      instances: sql`${receivers.instances} + ${instances}`,
      receivedAt: at,
      receivedTitle: callingAETitle,
      receivedAddress: address,
    })
    .where(and(eq(receivers.id, id), inArray(receivers.accountId, allowed)))
    .returning({ id: receivers.id });
  return counted.length === 1;
}

export async function countRefused(db: DbOrTx, id: string, seen: SeenSender): Promise<void> {
  const { at, callingAETitle, address } = seen;
  await db
    .update(receivers)
    .set({
      refusals: sql`least(${receivers.refusals} + 1, 1000000)`,
      refusedAt: at,
      refusedTitle: callingAETitle,
      refusedAddress: address,
    })
    .where(eq(receivers.id, id));
}
