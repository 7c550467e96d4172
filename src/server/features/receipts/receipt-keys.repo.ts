import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { type ReceiptKeyRow, receiptKeys } from "./receipts.table.ts";

/** The key that signs, if there is one. */
export async function findSigningKey(db: DbOrTx): Promise<ReceiptKeyRow | undefined> {
  const [row] = await db.select().from(receiptKeys).where(isNull(receiptKeys.retiredAt));
  return row;
}

/** All keys, oldest first. */
export async function listReceiptKeys(db: DbOrTx): Promise<ReceiptKeyRow[]> {
  return await db.select().from(receiptKeys).orderBy(asc(receiptKeys.createdAt), asc(receiptKeys.kid));
}

/** Has two nodes that would each make a key take turns, until the transaction ends. */
export async function lockReceiptKeys(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('receipt keys', 0))`);
}

/** Makes a key the one that signs; it may be one that signed before. */
export async function putSigningKey(tx: Tx, row: ReceiptKeyRow): Promise<void> {
  const { sealedPrivateKey } = row;
  await tx
    .insert(receiptKeys)
    .values(row)
    .onConflictDoUpdate({ target: receiptKeys.kid, set: { sealedPrivateKey, retiredAt: null } });
}

/** Retires the key that signs: it goes on verifying. */
export async function retireSigningKey(tx: Tx, retiredAt: Date, kid: string): Promise<void> {
  await tx
    .update(receiptKeys)
    .set({ retiredAt, sealedPrivateKey: null })
    .where(and(isNull(receiptKeys.retiredAt), eq(receiptKeys.kid, kid)));
}
