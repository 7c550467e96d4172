import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { users } from "../accounts/users/users.table.ts";
import { ownerFields } from "../membership/owner-standing.repo.ts";
import { subscriptions } from "../subscriptions/subscriptions.table.ts";
import { type DeliveryRow, deliveries, deliveryRequests } from "./deliveries.table.ts";

const deliveryByToken = prepared((db, given: Given<{ tokenHash: string }>) =>
  db
    .select({
      id: deliveries.id,
      sender: deliveries.sender,
      receivedAt: deliveries.receivedAt,
      accountId: deliveryRequests.accountId,
      expiresAt: deliveryRequests.expiresAt,
      endedAt: deliveryRequests.endedAt,
      isTrial: users.isTrial,
      owner: ownerFields,
    })
    .from(deliveries)
    .innerJoin(deliveryRequests, eq(deliveryRequests.id, deliveries.requestId))
    .innerJoin(users, eq(users.id, deliveryRequests.accountId))
    .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
    .where(eq(deliveries.tokenHash, given.tokenHash)),
);

/** A delivery with what decides whether its token is good. It is one statement because every request runs it. */
export async function findDeliveryByToken(db: DbOrTx, tokenHash: string) {
  const [row] = await deliveryByToken(db, { tokenHash });
  return row;
}

export async function findDelivery(db: DbOrTx, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await db.select().from(deliveries).where(eq(deliveries.id, id));
  return row;
}

/** The name that the page of a delivery's request shows. */
export async function findShownName(db: DbOrTx, deliveryId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ shownName: deliveryRequests.shownName })
    .from(deliveries)
    .innerJoin(deliveryRequests, eq(deliveryRequests.id, deliveries.requestId))
    .where(eq(deliveries.id, deliveryId));
  return row?.shownName;
}

export async function insertDelivery(tx: Tx, row: typeof deliveries.$inferInsert): Promise<void> {
  await tx.insert(deliveries).values(row);
}

/** Drops the deliveries of a request that sent nothing, but for the newest `kept`; returns how many are left in all. */
export async function dropIdleDeliveries(tx: Tx, requestId: string, kept: number): Promise<number> {
  const ofRequest = eq(deliveries.requestId, requestId);
  const idle = tx
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(ofRequest, eq(deliveries.uploads, 0)))
    .orderBy(desc(deliveries.id))
    .offset(kept);
  await tx.delete(deliveries).where(inArray(deliveries.id, idle));
  return await tx.$count(deliveries, ofRequest);
}

/** Newest first. */
export async function listDeliveriesOf(
  db: DbOrTx,
  requestIds: readonly string[],
  limit: number,
): Promise<DeliveryRow[]> {
  if (requestIds.length === 0) return [];
  return await db
    .select()
    .from(deliveries)
    .where(inArray(deliveries.requestId, [...requestIds]))
    .orderBy(desc(deliveries.id))
    .limit(limit);
}

export async function countUpload(tx: Tx, id: string): Promise<void> {
  await tx
    .update(deliveries)
    .set({ uploads: sql`${deliveries.uploads} + 1` })
    .where(eq(deliveries.id, id));
}

/** Records what an upload of the delivery brought. */
export async function noteReceived(
  tx: Tx,
  { id, receivedAt, studyIds, volumeIds }: DeliveryRow,
  brought: Pick<DeliveryRow, "studyIds" | "volumeIds" | "images"> & { at: Date },
  maxIds: number,
): Promise<void> {
  await tx
    .update(deliveries)
    .set({
      receivedAt: receivedAt ?? brought.at,
      studyIds: [...studyIds, ...brought.studyIds].slice(0, maxIds),
      volumeIds: [...volumeIds, ...brought.volumeIds].slice(0, maxIds),
      images: sql`${deliveries.images} + ${brought.images}`,
    })
    .where(eq(deliveries.id, id));
}
