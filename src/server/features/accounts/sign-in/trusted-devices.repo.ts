import { and, eq, gt, lte } from "drizzle-orm";
import type { DbOrTx } from "../../../db/client.ts";
import { trustedDevices } from "../accounts.table.ts";

export async function insertTrustedDevice(
  db: DbOrTx,
  row: typeof trustedDevices.$inferInsert,
): Promise<void> {
  await db.insert(trustedDevices).values(row);
}

export async function isTrustedDevice(
  db: DbOrTx,
  userId: string,
  tokenHash: string,
  now: Date,
): Promise<boolean> {
  const condition = and(
    eq(trustedDevices.tokenHash, tokenHash),
    eq(trustedDevices.userId, userId),
    gt(trustedDevices.expiresAt, now),
  );
  return (await db.$count(trustedDevices, condition)) > 0;
}

/** Forgets every device of the account; each needs a code again. */
export async function forgetDevices(db: DbOrTx, userId: string): Promise<void> {
  await db.delete(trustedDevices).where(eq(trustedDevices.userId, userId));
}

export async function deleteExpiredDevices(db: DbOrTx, now: Date): Promise<void> {
  await db.delete(trustedDevices).where(lte(trustedDevices.expiresAt, now));
}

/** The expiry of each of an account's remembered devices; at most 1,000. */
export async function listTrustedDevices(db: DbOrTx, userId: string) {
  return await db
    .select({ expiresAt: trustedDevices.expiresAt })
    .from(trustedDevices)
    .where(eq(trustedDevices.userId, userId))
    .limit(1_000);
}
