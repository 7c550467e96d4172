import { and, countDistinct, desc, eq, gt, gte, isNull, lt, sql } from "drizzle-orm";
import type { DbOrTx } from "../../../db/client.ts";
import { sessions, throttles } from "../accounts.table.ts";

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

export interface ThrottleKey {
  name: string;
  key: string;
}

/**
 * Counts one attempt against a key before its outcome is known, so that parallel guesses cannot exceed the limit. One
 * statement, safe under concurrency. Returns the number of attempts in the current window.
 */
export async function takeAttempt(
  db: DbOrTx,
  at: ThrottleKey,
  now: Date,
  windowSeconds: number,
): Promise<{ attempts: number; windowEndsAt: Date }> {
  const windowEndsAt = new Date(now.getTime() + windowSeconds * 1000);
  const isOver = sql`${throttles.windowEndsAt} <= ${now.toISOString()}::timestamptz`;
  const [row] = await db
    .insert(throttles)
    .values({ ...at, windowEndsAt, failures: 1 })
    .onConflictDoUpdate({
      target: [throttles.name, throttles.key],
      set: {
        failures: sql`case when ${isOver} then 1 else ${throttles.failures} + 1 end`,
        windowEndsAt: sql`case when ${isOver} then excluded.window_ends_at else ${throttles.windowEndsAt} end`,
      },
    })
    .returning({ attempts: throttles.failures, windowEndsAt: throttles.windowEndsAt });
  return row ?? { attempts: 1, windowEndsAt };
}

/** The number of attempts in the current window. */
export async function findAttempts(
  db: DbOrTx,
  at: ThrottleKey,
  now: Date,
): Promise<{ attempts: number; windowEndsAt: Date } | undefined> {
  const [row] = await db
    .select({ attempts: throttles.failures, windowEndsAt: throttles.windowEndsAt })
    .from(throttles)
    .where(and(eq(throttles.name, at.name), eq(throttles.key, at.key), gt(throttles.windowEndsAt, now)));
  return row;
}

/** Uncounts an attempt that succeeded: throttles count failures only. */
export async function giveBackAttempt(db: DbOrTx, at: ThrottleKey): Promise<void> {
  await db
    .update(throttles)
    .set({ failures: sql`greatest(${throttles.failures} - 1, 0)` })
    .where(and(eq(throttles.name, at.name), eq(throttles.key, at.key)));
}

export async function clearAttempts(db: DbOrTx, at: ThrottleKey): Promise<void> {
  await db.delete(throttles).where(and(eq(throttles.name, at.name), eq(throttles.key, at.key)));
}

export async function deleteOldThrottles(db: DbOrTx, now: Date): Promise<void> {
  await db.delete(throttles).where(sql`${throttles.windowEndsAt} <= ${now.toISOString()}::timestamptz`);
}
