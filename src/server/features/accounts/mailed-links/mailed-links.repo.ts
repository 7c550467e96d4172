import { and, eq, gt, inArray, lte } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { mailedLinks } from "../accounts.table.ts";

type LinkRow = typeof mailedLinks.$inferSelect;

export async function insertLink(tx: Tx, row: typeof mailedLinks.$inferInsert): Promise<void> {
  await tx.insert(mailedLinks).values(row);
}

/** The owner of a link, so that their row can be locked first; `undefined` if no valid link matches. */
export async function findLinkOwner(
  tx: Tx,
  tokenHash: string,
  purposes: LinkRow["purpose"][],
  now: Date,
): Promise<string | undefined> {
  const [row] = await tx
    .select({ userId: mailedLinks.userId })
    .from(mailedLinks)
    .where(isAlive(tokenHash, purposes, now));
  return row?.userId;
}

/** Uses up a link. Returns `undefined` if no valid link matches. Safe under concurrency: exactly one caller gets it. */
export async function takeLink(
  tx: Tx,
  tokenHash: string,
  purposes: LinkRow["purpose"][],
  now: Date,
): Promise<LinkRow | undefined> {
  const [row] = await tx
    .delete(mailedLinks)
    .where(isAlive(tokenHash, purposes, now))
    .returning();
  return row;
}

export async function deleteLinks(tx: Tx, userId: string, purpose: LinkRow["purpose"]): Promise<void> {
  await tx.delete(mailedLinks).where(and(eq(mailedLinks.userId, userId), eq(mailedLinks.purpose, purpose)));
}

export async function deleteLinksOf(tx: Tx, userId: string): Promise<void> {
  await tx.delete(mailedLinks).where(eq(mailedLinks.userId, userId));
}

export async function deleteExpiredLinks(db: DbOrTx, now: Date): Promise<void> {
  await db.delete(mailedLinks).where(lte(mailedLinks.expiresAt, now));
}

function isAlive(tokenHash: string, purposes: LinkRow["purpose"][], now: Date) {
  return and(
    eq(mailedLinks.tokenHash, tokenHash),
    inArray(mailedLinks.purpose, purposes),
    gt(mailedLinks.expiresAt, now),
  );
}

/** The unused links of an account; at most 1,000. */
export async function listLinks(db: DbOrTx, userId: string) {
  return await db
    .select({
      purpose: mailedLinks.purpose,
      newEmail: mailedLinks.newEmail,
      expiresAt: mailedLinks.expiresAt,
    })
    .from(mailedLinks)
    .where(eq(mailedLinks.userId, userId))
    .limit(1_000);
}
