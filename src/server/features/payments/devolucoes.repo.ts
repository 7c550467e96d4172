import { eq, inArray } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import type { DevolucaoChanges } from "./merge-devolucoes.ts";
import { type DevolucaoRow, devolucoes } from "./payments.table.ts";

/** The devoluções of a payment, oldest first. */
export async function listDevolucoes(db: DbOrTx, paymentId: string): Promise<DevolucaoRow[]> {
  return await db
    .select()
    .from(devolucoes)
    .where(eq(devolucoes.paymentId, paymentId))
    .orderBy(devolucoes.seenAt, devolucoes.id);
}

/** The devoluções of each of these payments, by payment id. */
export async function listDevolucoesOf(
  db: DbOrTx,
  paymentIds: string[],
): Promise<Map<string, DevolucaoRow[]>> {
  if (paymentIds.length === 0) return new Map();
  const rows = await db
    .select()
    .from(devolucoes)
    .where(inArray(devolucoes.paymentId, paymentIds))
    .orderBy(devolucoes.seenAt, devolucoes.id);
  return Map.groupBy(rows, ({ paymentId }) => paymentId);
}

/** Stores what an answer of the PSP changed. The payment must be locked. */
export async function saveDevolucoes(
  tx: Tx,
  paymentId: string,
  { added, changed }: DevolucaoChanges,
  now: Date,
): Promise<void> {
  const rows = added.map((devolucao) => ({ ...devolucao, id: Bun.randomUUIDv7(), paymentId, seenAt: now }));
  if (rows.length > 0) await tx.insert(devolucoes).values(rows);
  for (const { id, ...values } of changed)
    await tx.update(devolucoes).set(values).where(eq(devolucoes.id, id));
}
