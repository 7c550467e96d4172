import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../db/client.ts";
import { mailLedger } from "./mail.table.ts";

/** Locks a budget until the transaction ends, so that only one transaction counts it at a time. */
export async function lockBudget(tx: Tx, budget: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`mail ${budget}`}, 0))`);
}

/** When the mails of a budget went out between two times, oldest first; at most `limit`. */
export async function listSent(
  db: DbOrTx,
  budget: string,
  { since, until }: { since: Date; until: Date },
  limit: number,
): Promise<Date[]> {
  const rows = await db
    .select({ at: mailLedger.at })
    .from(mailLedger)
    .where(and(eq(mailLedger.budget, budget), gt(mailLedger.at, since), lte(mailLedger.at, until)))
    .orderBy(asc(mailLedger.at))
    .limit(limit);
  return rows.map(({ at }) => at);
}

export async function insertSent(tx: Tx, budget: string, at: Date): Promise<void> {
  await tx.insert(mailLedger).values({ budget, at });
}

export async function deleteOldSent(db: DbOrTx, until: Date): Promise<void> {
  await db.delete(mailLedger).where(lte(mailLedger.at, until));
}
