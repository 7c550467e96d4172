import { and, desc, eq, lt } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { type AccessTokenRow, accessTokens } from "./access-tokens.table.ts";

export async function insertAccessToken(tx: Tx, row: AccessTokenRow): Promise<void> {
  await tx.insert(accessTokens).values(row);
}

export async function countAccessTokens(db: DbOrTx, userId: string): Promise<number> {
  return await db.$count(accessTokens, eq(accessTokens.userId, userId));
}

/** An account's tokens, newest first; at most 1,000. */
export async function listAccessTokens(db: DbOrTx, userId: string): Promise<AccessTokenRow[]> {
  return await db
    .select()
    .from(accessTokens)
    .where(eq(accessTokens.userId, userId))
    .orderBy(desc(accessTokens.createdAt), desc(accessTokens.id))
    .limit(1_000);
}

/** Returns the deleted row; undefined if the account has no such token. */
export async function deleteAccessToken(
  tx: Tx,
  { id, userId }: { id: string; userId: string },
): Promise<AccessTokenRow | undefined> {
  const [row] = await tx
    .delete(accessTokens)
    .where(and(eq(accessTokens.id, id), eq(accessTokens.userId, userId)))
    .returning();
  return row;
}

export async function deleteAccessTokensOf(tx: Tx, userId: string): Promise<void> {
  await tx.delete(accessTokens).where(eq(accessTokens.userId, userId));
}

export async function deleteExpiredAccessTokens(db: DbOrTx, before: Date): Promise<void> {
  await db.delete(accessTokens).where(lt(accessTokens.expiresAt, before));
}

export async function touchAccessToken(db: DbOrTx, id: string, at: Date): Promise<void> {
  await db.update(accessTokens).set({ lastUsedAt: at }).where(eq(accessTokens.id, id));
}
