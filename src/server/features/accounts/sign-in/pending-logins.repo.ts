import { and, desc, eq, gt, inArray, lt, lte, or, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { pendingLogins } from "../accounts.table.ts";

export type PendingLoginRow = typeof pendingLogins.$inferSelect;

/** Whose attempts are counted: those of the login's own browser, or those of its network. */
export type TriesOf = "browser" | "network";

export async function insertLogin(tx: Tx, row: typeof pendingLogins.$inferInsert): Promise<void> {
  await tx.insert(pendingLogins).values(row);
}

/** The valid logins of one browser or network, newest first. */
export async function listLogins(
  db: DbOrTx,
  userId: string,
  { browserHash, network }: { browserHash: string; network: string },
  now: Date,
): Promise<PendingLoginRow[]> {
  const isNear = or(eq(pendingLogins.browserHash, browserHash), eq(pendingLogins.network, network));
  return await db
    .select()
    .from(pendingLogins)
    .where(and(eq(pendingLogins.userId, userId), gt(pendingLogins.expiresAt, now), isNear))
    .orderBy(desc(pendingLogins.id))
    .limit(50);
}

/** Counts one attempt before the code is compared, so that parallel attempts cannot exceed the limit. */
export async function takeTry(db: DbOrTx, id: string, of: TriesOf, limit: number): Promise<boolean> {
  const tries = of === "browser" ? pendingLogins.tries : pendingLogins.networkTries;
  const added = sql`${tries} + 1`;
  const rows = await db
    .update(pendingLogins)
    .set(of === "browser" ? { tries: added } : { networkTries: added })
    .where(and(eq(pendingLogins.id, id), lt(tries, limit)))
    .returning({ id: pendingLogins.id });
  return rows.length === 1;
}

/** Returns `true` for the one caller that used up the login. */
export async function deleteLogin(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx
    .delete(pendingLogins)
    .where(eq(pendingLogins.id, id))
    .returning({ id: pendingLogins.id });
  return rows.length === 1;
}

/** Keeps one login per browser and the newest `limit` of a network. */
export async function makeRoomForLogin(
  tx: Tx,
  userId: string,
  { browserHash, network }: { browserHash: string; network: string },
  limit: number,
): Promise<void> {
  const isOfUser = eq(pendingLogins.userId, userId);
  const older = tx
    .select({ id: pendingLogins.id })
    .from(pendingLogins)
    .where(and(isOfUser, eq(pendingLogins.network, network)))
    .orderBy(desc(pendingLogins.id))
    .offset(limit - 1);
  await tx
    .delete(pendingLogins)
    .where(and(isOfUser, or(eq(pendingLogins.browserHash, browserHash), inArray(pendingLogins.id, older))));
}

export async function deleteLoginsOf(tx: Tx, userId: string): Promise<void> {
  await tx.delete(pendingLogins).where(eq(pendingLogins.userId, userId));
}

export async function deleteExpiredLogins(db: DbOrTx, now: Date): Promise<void> {
  await db.delete(pendingLogins).where(lte(pendingLogins.expiresAt, now));
}
