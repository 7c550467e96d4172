import { and, desc, eq, inArray, lte, or, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { knownPlaces } from "../accounts.table.ts";
import { users } from "../users/users.table.ts";

export interface PlaceKeys {
  browser: string;
  network: string;
}

/** Which of the visitor's browser and network the account with this e-mail has signed in from. */
export async function findKnownKinds(
  db: DbOrTx,
  email: string,
  { browser, network }: PlaceKeys,
): Promise<("browser" | "network")[]> {
  const isMark = or(
    and(eq(knownPlaces.kind, "browser"), eq(knownPlaces.key, browser)),
    and(eq(knownPlaces.kind, "network"), eq(knownPlaces.key, network)),
  );
  const rows = await db
    .select({ kind: knownPlaces.kind })
    .from(knownPlaces)
    .innerJoin(users, eq(users.id, knownPlaces.userId))
    .where(and(eq(sql`lower(${users.email})`, email.toLowerCase()), isMark));
  return rows.map(({ kind }) => kind);
}

/** Adds or refreshes a place, and forgets all but the newest `limit` of its kind. */
export async function upsertPlace(
  tx: Tx,
  row: typeof knownPlaces.$inferInsert,
  limit: number,
): Promise<void> {
  const { userId, kind, signedInAt } = row;
  await tx
    .insert(knownPlaces)
    .values(row)
    .onConflictDoUpdate({
      target: [knownPlaces.userId, knownPlaces.kind, knownPlaces.key],
      set: { signedInAt },
    });
  const isOfKind = and(eq(knownPlaces.userId, userId), eq(knownPlaces.kind, kind));
  const older = tx
    .select({ key: knownPlaces.key })
    .from(knownPlaces)
    .where(isOfKind)
    .orderBy(desc(knownPlaces.signedInAt), knownPlaces.key)
    .offset(limit);
  await tx.delete(knownPlaces).where(and(isOfKind, inArray(knownPlaces.key, older)));
}

export async function deletePlaces(tx: Tx, userId: string): Promise<void> {
  await tx.delete(knownPlaces).where(eq(knownPlaces.userId, userId));
}

export async function deleteOldPlaces(db: DbOrTx, until: Date): Promise<void> {
  await db.delete(knownPlaces).where(lte(knownPlaces.signedInAt, until));
}

/** The number of browsers and networks that a user signed in from, and the last time; the places are stored as hashes. */
export async function listPlaces(db: DbOrTx, userId: string) {
  return await db
    .select({ kind: knownPlaces.kind, signedInAt: knownPlaces.signedInAt })
    .from(knownPlaces)
    .where(eq(knownPlaces.userId, userId))
    .orderBy(desc(knownPlaces.signedInAt))
    .limit(1_000);
}
