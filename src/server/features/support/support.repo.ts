import { and, eq, gt, gte, isNull, lt, or, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { supportMessages } from "./support.table.ts";

export type SupportMessageRow = typeof supportMessages.$inferSelect;

/** Returns whether it was inserted: not if its address has sent one under the same key. */
export async function insertSupportMessage(
  db: DbOrTx,
  row: typeof supportMessages.$inferInsert,
): Promise<boolean> {
  const inserted = await db
    .insert(supportMessages)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: supportMessages.id });
  return inserted.length > 0;
}

export async function findSupportMessageSentAs(
  db: DbOrTx,
  userEmail: string,
  idempotencyKey: string,
): Promise<SupportMessageRow | undefined> {
  const isSame = and(
    eq(supportMessages.userEmail, userEmail),
    eq(supportMessages.idempotencyKey, idempotencyKey),
  );
  const [row] = await db.select().from(supportMessages).where(isSame);
  return row;
}

/** The messages that an account certainly sent, oldest first; at most `limit`. */
export async function listSupportMessages(
  db: DbOrTx,
  accountId: string,
  after: string | null,
  limit: number,
): Promise<SupportMessageRow[]> {
  return await db
    .select()
    .from(supportMessages)
    .where(
      and(
        eq(supportMessages.accountId, accountId),
        after === null ? undefined : gt(supportMessages.id, after),
      ),
    )
    .orderBy(supportMessages.id)
    .limit(limit);
}

/**
 * Deletes the messages that an account sent, and those that name its address and were not sent by another account. A message
 * that only names the address and is older than `namedSince` stays: a person without an account may have written it.
 */
export async function deleteSupportMessagesOf(
  tx: Tx,
  account: { id: string; email: string },
  namedSince: Date,
): Promise<void> {
  const namesIt = and(
    isNull(supportMessages.accountId),
    eq(sql`lower(${supportMessages.userEmail})`, account.email.toLowerCase()),
    gte(supportMessages.createdAt, namedSince),
  );
  await tx.delete(supportMessages).where(or(eq(supportMessages.accountId, account.id), namesIt));
}

export async function deleteOldSupportMessages(db: DbOrTx, sentBefore: Date): Promise<void> {
  await db.delete(supportMessages).where(lt(supportMessages.createdAt, sentBefore));
}
