import { and, countDistinct, desc, eq, gte, isNull, lt } from "drizzle-orm";
import type { DbOrTx } from "../../../db/client.ts";
import { sessions } from "../accounts.table.ts";

export async function insertSession(
  db: DbOrTx,
  row: { id: string; userId: string; at: Date },
): Promise<void> {
  await db.insert(sessions).values({ id: row.id, userId: row.userId, createdAt: row.at, lastSeenAt: row.at });
}

export async function findSessionStart(db: DbOrTx, id: string): Promise<Date | undefined> {
  const [row] = await db.select({ createdAt: sessions.createdAt }).from(sessions).where(eq(sessions.id, id));
  return row?.createdAt;
}

export async function touchSession(db: DbOrTx, id: string, at: Date): Promise<void> {
  await db.update(sessions).set({ lastSeenAt: at }).where(eq(sessions.id, id));
}

export async function revokeSession(db: DbOrTx, id: string, at: Date): Promise<void> {
  await db
    .update(sessions)
    .set({ revokedAt: at })
    .where(and(eq(sessions.id, id), isNull(sessions.revokedAt)));
}

/** Whether a session was ended before its time; also true for one that is unknown. */
export async function isSessionRevoked(db: DbOrTx, id: string): Promise<boolean> {
  const [row] = await db.select({ revokedAt: sessions.revokedAt }).from(sessions).where(eq(sessions.id, id));
  return row?.revokedAt !== null;
}

export async function deleteOldSessions(db: DbOrTx, openedBefore: Date): Promise<void> {
  await db.delete(sessions).where(lt(sessions.createdAt, openedBefore));
}

export async function revokeUserSessions(db: DbOrTx, userId: string, at: Date): Promise<void> {
  await db
    .update(sessions)
    .set({ revokedAt: at })
    .where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt)));
}

/** An account's sessions with their start and end, newest first; at most 1,000. */
export async function listSessions(db: DbOrTx, userId: string) {
  const { createdAt, lastSeenAt, revokedAt } = sessions;
  return await db
    .select({ createdAt, lastSeenAt, revokedAt })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.createdAt))
    .limit(1_000);
}

/** How many accounts made a request since then. Sessions are kept for days, so it reads few rows. */
export async function countActiveAccounts(db: DbOrTx, since: Date): Promise<number> {
  const [row] = await db
    .select({ accounts: countDistinct(sessions.userId) })
    .from(sessions)
    .where(gte(sessions.lastSeenAt, since));
  return row?.accounts ?? 0;
}
