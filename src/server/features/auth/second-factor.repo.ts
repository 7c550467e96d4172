import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { loginChallenges, mailedLinks, trustedDevices } from "./auth.table.ts";

type ChallengeRow = typeof loginChallenges.$inferSelect;

/** Puts a challenge in the place of the account's former one. */
export async function replaceChallenge(db: DbOrTx, row: typeof loginChallenges.$inferInsert): Promise<void> {
  const { id, codeHash, createdAt, expiresAt } = row;
  await db
    .insert(loginChallenges)
    .values(row)
    .onConflictDoUpdate({
      target: loginChallenges.userId,
      set: { id, codeHash, tries: 0, createdAt, expiresAt },
    });
}

export async function findChallenge(
  db: DbOrTx,
  userId: string,
  now: Date,
): Promise<ChallengeRow | undefined> {
  const [row] = await db
    .select()
    .from(loginChallenges)
    .where(and(eq(loginChallenges.userId, userId), gt(loginChallenges.expiresAt, now)));
  return row;
}

/** Counts one try before the code is compared, so that parallel tries can't exceed the limit. */
export async function takeTry(db: DbOrTx, id: string, limit: number): Promise<boolean> {
  const rows = await db
    .update(loginChallenges)
    .set({ tries: sql`${loginChallenges.tries} + 1` })
    .where(and(eq(loginChallenges.id, id), lte(loginChallenges.tries, limit - 1)))
    .returning({ id: loginChallenges.id });
  return rows.length === 1;
}

/** `true` for the one caller who used it up. */
export async function deleteChallenge(db: DbOrTx, id: string): Promise<boolean> {
  const rows = await db
    .delete(loginChallenges)
    .where(eq(loginChallenges.id, id))
    .returning({ id: loginChallenges.id });
  return rows.length === 1;
}

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

/** With a new password every device is a stranger again. */
export async function forgetDevices(db: DbOrTx, userId: string): Promise<void> {
  await db.delete(trustedDevices).where(eq(trustedDevices.userId, userId));
}

export async function insertLink(db: DbOrTx, row: typeof mailedLinks.$inferInsert): Promise<void> {
  await db.insert(mailedLinks).values(row);
}

/** Uses a link up; `undefined` where there is none alive. Right under concurrency: one caller gets it. */
export async function takeLink(
  db: DbOrTx,
  tokenHash: string,
  now: Date,
): Promise<typeof mailedLinks.$inferSelect | undefined> {
  const [row] = await db
    .delete(mailedLinks)
    .where(and(eq(mailedLinks.tokenHash, tokenHash), gt(mailedLinks.expiresAt, now)))
    .returning();
  return row;
}

export async function deleteLinks(
  db: DbOrTx,
  userId: string,
  purpose: (typeof mailedLinks.$inferSelect)["purpose"],
): Promise<void> {
  await db.delete(mailedLinks).where(and(eq(mailedLinks.userId, userId), eq(mailedLinks.purpose, purpose)));
}

export async function deleteExpiredSecrets(db: DbOrTx, now: Date): Promise<void> {
  await db.delete(loginChallenges).where(lte(loginChallenges.expiresAt, now));
  await db.delete(trustedDevices).where(lte(trustedDevices.expiresAt, now));
  await db.delete(mailedLinks).where(lte(mailedLinks.expiresAt, now));
}
