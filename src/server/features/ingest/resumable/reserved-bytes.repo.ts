import { and, eq, gte, inArray, isNull, type Placeholder, sql, sum } from "drizzle-orm";
import type { DbOrTx } from "../../../db/client.ts";
import { type Given, prepared } from "../../../db/prepared.ts";
import { users } from "../../accounts/users/users.table.ts";
import { resumableUploads, type UploadScope } from "./resumable-uploads.table.ts";
import { expiryAfter } from "./upload-expiry.ts";

/** Matches the uploads of a delivery; with null, those of the account itself. */
const isOf = (deliveryId: string | null | Placeholder) =>
  sql`${resumableUploads.deliveryId} is not distinct from ${deliveryId}::uuid`;

/**
 * The bytes that an upload takes of its account's plan: all that it announced, but of somebody else's delivery only what has come.
 * Announcing a length costs nothing, and a stranger with a request's address must not fill its owner's plan by it.
 */
const reserved = (
  deliveryId: string | null,
) => sql`case when ${resumableUploads.deliveryId} is null or ${isOf(deliveryId)}
  then ${resumableUploads.sizeBytes} else ${resumableUploads.receivedBytes} end`;

/** A sender's uploads that are under way, and the bytes reserved for all of the account's. */
export async function measureOpen(
  db: DbOrTx,
  { accountId, deliveryId }: UploadScope,
): Promise<{ uploads: number; bytes: number }> {
  const [row] = await db
    .select({
      // Nobody can dismiss what comes over DIMSE to begin another upload; it only takes room.
      uploads:
        sql`count(*) filter (where ${resumableUploads.receiverId} is null and ${isOf(deliveryId)})`.mapWith(
          Number,
        ),
      bytes: sum(reserved(deliveryId)).mapWith(Number),
    })
    .from(resumableUploads)
    .where(
      and(
        eq(resumableUploads.accountId, accountId),
        inArray(resumableUploads.state, ["receiving", "processing"]),
      ),
    );
  return { uploads: row?.uploads ?? 0, bytes: row?.bytes ?? 0 };
}

const reservedBytes = prepared((db, given: Given<{ accountId: string }>) =>
  db
    .select({ bytes: sum(reserved(null)).mapWith(Number) })
    .from(resumableUploads)
    .where(and(eq(resumableUploads.accountId, given.accountId), eq(resumableUploads.state, "receiving"))),
);

/** The bytes reserved for an account's uploads that are still arriving. */
export async function sumReserved(db: DbOrTx, accountId: string): Promise<number> {
  const [row] = await reservedBytes(db, { accountId });
  return row?.bytes ?? 0;
}

/** An upload that got no byte for this long, or was begun so long ago and got none, holds no disk. */
const MOVING_MS = 3600_000;

/**
 * The bytes that open uploads of all accounts may still bring. Those of trial accounts and of deliveries, which cost nothing to begin, get
 * disk space only as they come, like those that rest.
 */
export async function sumOutstanding(db: DbOrTx, now: Date): Promise<number> {
  const { accountId, deliveryId, expiresAt, receivedBytes, sizeBytes, state } = resumableUploads;
  const movedSince = new Date(now.getTime() - MOVING_MS);
  const [row] = await db
    .select({ bytes: sum(sql`${sizeBytes} - ${receivedBytes}`).mapWith(Number) })
    .from(resumableUploads)
    .innerJoin(users, eq(users.id, accountId))
    .where(
      and(
        eq(state, "receiving"),
        isNull(deliveryId),
        eq(users.isTrial, false),
        gte(expiresAt, expiryAfter(movedSince)),
      ),
    );
  return row?.bytes ?? 0;
}
