import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { DbOrTx } from "../../../db/client.ts";
import { throttles } from "../accounts.table.ts";

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
  const latest = latestEnd(now, windowSeconds);
  const isOver = sql`(${throttles.windowEndsAt} <= ${now.toISOString()}::timestamptz
    or ${throttles.windowEndsAt} > ${latest.toISOString()}::timestamptz)`;
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
  windowSeconds: number,
): Promise<{ attempts: number; windowEndsAt: Date } | undefined> {
  const { name, key, failures, windowEndsAt } = throttles;
  const isCurrent = and(gt(windowEndsAt, now), lte(windowEndsAt, latestEnd(now, windowSeconds)));
  const [row] = await db
    .select({ attempts: failures, windowEndsAt })
    .from(throttles)
    .where(and(eq(name, at.name), eq(key, at.key), isCurrent));
  return row;
}

/** Nodes measure the same time with a small error. */
const AHEAD_MS = 60_000;

/** A window that ends later began while the clock was ahead, which was set back. It must not keep anybody waiting. */
function latestEnd(now: Date, windowSeconds: number): Date {
  return new Date(now.getTime() + windowSeconds * 1000 + AHEAD_MS);
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
