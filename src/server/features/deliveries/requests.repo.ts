import { and, count, desc, eq, gt, inArray, isNull, lt, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { users } from "../accounts/users/users.table.ts";
import { ownerFields } from "../membership/owner-standing.repo.ts";
import { subscriptions } from "../subscriptions/subscriptions.table.ts";
import { deliveryRequests, type RequestRow } from "./deliveries.table.ts";

const requestBySecret = prepared((db, given: Given<{ secretHash: string }>) =>
  db
    .select({ request: deliveryRequests, owner: ownerFields })
    .from(deliveryRequests)
    .innerJoin(users, eq(users.id, deliveryRequests.accountId))
    .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
    .where(eq(deliveryRequests.secretHash, given.secretHash)),
);

/** Found by the secret's hash alone, so that a wrong secret costs the same whether or not the id that comes with it exists. */
export async function findRequestBySecret(db: DbOrTx, secretHash: string) {
  const [row] = await requestBySecret(db, { secretHash });
  return row;
}

/** Until the transaction ends nobody else uses or ends the request. */
export async function lockRequest(tx: Tx, id: string) {
  const [row] = await tx
    .select({ request: deliveryRequests, owner: ownerFields })
    .from(deliveryRequests)
    .innerJoin(users, eq(users.id, deliveryRequests.accountId))
    .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
    .where(eq(deliveryRequests.id, id))
    .for("update", { of: deliveryRequests });
  return row;
}

export async function insertRequest(tx: Tx, row: typeof deliveryRequests.$inferInsert): Promise<void> {
  await tx.insert(deliveryRequests).values(row);
}

/** The account's requests that can still bring something. */
export async function countLiveRequests(db: DbOrTx, accountId: string, now: Date): Promise<number> {
  const [row] = await db
    .select({ requests: count() })
    .from(deliveryRequests)
    .where(and(eq(deliveryRequests.accountId, accountId), isLive(now)));
  return row?.requests ?? 0;
}

/** Forgets the oldest requests of an account that are over, but for the newest `kept`. */
export async function deleteOldestRequests(
  tx: Tx,
  accountId: string,
  now: Date,
  kept: number,
): Promise<void> {
  const oldest = tx
    .select({ id: deliveryRequests.id })
    .from(deliveryRequests)
    .where(and(eq(deliveryRequests.accountId, accountId), sql`not (${isLive(now)})`))
    .orderBy(desc(deliveryRequests.id))
    .offset(kept)
    .limit(100);
  await tx.delete(deliveryRequests).where(inArray(deliveryRequests.id, oldest));
}

/** Newest first; those that are over leave out none that can still bring something, of which there are fewer than `limit`. */
export async function listRequestRows(
  db: DbOrTx,
  accountId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<RequestRow[]> {
  const rows = await db
    .select()
    .from(deliveryRequests)
    .where(eq(deliveryRequests.accountId, accountId))
    .orderBy(desc(sql`(${isLive(now)})`), desc(deliveryRequests.id))
    .limit(limit);
  return rows.sort((a, b) => (a.id < b.id ? 1 : -1));
}

export async function findRequest(db: DbOrTx, id: string): Promise<RequestRow | undefined> {
  const [row] = await db.select().from(deliveryRequests).where(eq(deliveryRequests.id, id));
  return row;
}

export async function noteOpened(db: DbOrTx, id: string, at: Date): Promise<void> {
  await db.update(deliveryRequests).set({ openedAt: at }).where(eq(deliveryRequests.id, id));
}

/** Ends a request that has not ended; returns whether it did. */
export async function endRequestRow(tx: Tx, id: string, at: Date): Promise<boolean> {
  const rows = await tx
    .update(deliveryRequests)
    .set({ endedAt: at })
    .where(and(eq(deliveryRequests.id, id), isNull(deliveryRequests.endedAt)))
    .returning({ id: deliveryRequests.id });
  return rows.length === 1;
}

export async function countUse(tx: Tx, id: string): Promise<void> {
  await tx
    .update(deliveryRequests)
    .set({ used: sql`${deliveryRequests.used} + 1` })
    .where(eq(deliveryRequests.id, id));
}

/** Deletes up to `limit` requests that were over before `before`; returns how many. */
export async function deleteRequestsOverBefore(db: DbOrTx, before: Date, limit: number): Promise<number> {
  const { expiresAt, endedAt } = deliveryRequests;
  const old = db
    .select({ id: deliveryRequests.id })
    .from(deliveryRequests)
    .where(sql`least(${expiresAt}, ${endedAt}) < ${before.toISOString()}::timestamptz`)
    .limit(limit);
  const rows = await db
    .delete(deliveryRequests)
    .where(inArray(deliveryRequests.id, old))
    .returning({ id: deliveryRequests.id });
  return rows.length;
}

function isLive(now: Date) {
  const { endedAt, expiresAt, uses, used } = deliveryRequests;
  return and(isNull(endedAt), gt(expiresAt, now), lt(used, uses));
}
