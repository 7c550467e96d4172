import { and, desc, eq, isNotNull, isNull, not, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { hadAuthorizationChanged } from "../../audit/audit.repo.ts";
import { type UserRow, users } from "./users.table.ts";

/**
 * An account that registered and waits for an admin: no admin has let it in or shut it out yet, and nobody has accepted the terms with
 * it. One that was shut out does not wait, even if its person had never accepted them.
 */
const isWaitingUser = and(
  eq(users.isAuthorized, false),
  isNull(users.termsAcceptedAt),
  isNotNull(users.passwordHash),
  not(hadAuthorizationChanged(users.id)),
);

/** Holds back others that let accounts in or tell of one that waits, so that each sees what the one before did. */
export async function lockWaitingUsers(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('waiting accounts', 0))`);
}

export async function isWaiting(db: DbOrTx, id: string): Promise<boolean> {
  return (await db.$count(users, and(eq(users.id, id), isWaitingUser))) > 0;
}

export async function countWaitingUsers(db: DbOrTx): Promise<number> {
  return await db.$count(users, isWaitingUser);
}

/** The accounts that wait for an admin, the newest first. */
export async function listWaitingUsers(db: DbOrTx, limit: number): Promise<UserRow[]> {
  return await db.select().from(users).where(isWaitingUser).orderBy(desc(users.createdAt)).limit(limit);
}
