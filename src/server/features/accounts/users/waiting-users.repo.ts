import { and, desc, eq, isNotNull, isNull } from "drizzle-orm";
import type { DbOrTx } from "../../../db/client.ts";
import { type UserRow, users } from "./users.table.ts";

/** Whether an account that registered waits for an admin: it was never let in, so nobody has accepted the terms with it. */
export function isWaiting(user: Pick<UserRow, "isAuthorized" | "termsAcceptedAt" | "passwordHash">): boolean {
  return !user.isAuthorized && user.termsAcceptedAt === null && user.passwordHash !== null;
}

const waiting = and(
  eq(users.isAuthorized, false),
  isNull(users.termsAcceptedAt),
  isNotNull(users.passwordHash),
);

export async function countWaitingUsers(db: DbOrTx): Promise<number> {
  return await db.$count(users, waiting);
}

/** The accounts that wait for an admin, the newest first. */
export async function listWaitingUsers(db: DbOrTx, limit: number): Promise<UserRow[]> {
  return await db.select().from(users).where(waiting).orderBy(desc(users.createdAt)).limit(limit);
}
