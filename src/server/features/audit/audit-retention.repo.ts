import { and, eq, gt, inArray, isNotNull, isNull, like, lt, lte, max, or, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { keyOf } from "../../db/key-of.ts";
import { auditEvents } from "./audit.table.ts";

/** A million in one statement run out of its time: a trigger looks at each. */
const ROWS_PER_STATEMENT = 10_000;

/**
 * Removes what still identifies a deleted account from the audit: the studies it had, and text that was typed (names of
 * factors and tokens, changes by an admin, senders without an account). The rows stay under an id that nothing links to a person.
 */
export async function pseudonymiseAudit(tx: Tx, accountId: string): Promise<void> {
  const typed = or(
    ...["factor.%", "token.%", "user.%", "study.uploaded"].map((actions) =>
      like(auditEvents.action, actions),
    ),
  );
  const change = {
    studyInstanceUID: null,
    details: sql`case when ${typed} then null else ${auditEvents.details} end`,
  };
  for (let last: number | undefined; ; ) {
    const those = and(
      eq(auditEvents.accountId, accountId),
      last === undefined ? undefined : gt(auditEvents.id, last),
    );
    const next = tx.select({ id: auditEvents.id }).from(auditEvents).where(those);
    const some = next.orderBy(auditEvents.id).limit(ROWS_PER_STATEMENT).as("some");
    const [end] = await tx.select({ id: max(some.id) }).from(some);
    if (end?.id == null) return;
    await tx
      .update(auditEvents)
      .set(change)
      .where(and(those, lte(auditEvents.id, end.id)));
    last = end.id;
  }
}

const account = keyOf("users");
const isGone = (id: typeof auditEvents.actorId | typeof auditEvents.accountId) =>
  sql`(${id} is null or not exists (select from ${account.table} where ${account} = ${id}))`;
const hasNobodyLeft = and(isGone(auditEvents.actorId), isGone(auditEvents.accountId));

/** Removes up to `limit` network addresses recorded before `before`, of deleted accounts. */
export async function forgetAddresses(db: DbOrTx, before: Date, limit: number): Promise<number> {
  const some = db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(
      and(
        lt(auditEvents.at, before),
        isNotNull(auditEvents.address),
        or(and(isNotNull(auditEvents.actorId), isGone(auditEvents.actorId)), hasNobodyLeft),
      ),
    )
    .orderBy(auditEvents.at)
    .limit(limit);
  const rows = await db
    .update(auditEvents)
    .set({ address: null })
    .where(inArray(auditEvents.id, some))
    .returning({ id: auditEvents.id });
  return rows.length;
}

/** Deletes up to `limit` rows from before `before` that concern no existing account. */
export async function deleteOldAudit(
  db: DbOrTx,
  { before, ofVisitors, limit }: { before: Date; ofVisitors: boolean; limit: number },
): Promise<number> {
  const whose = ofVisitors ? isNull(auditEvents.accountId) : isNotNull(auditEvents.accountId);
  const some = db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(and(lt(auditEvents.at, before), whose, hasNobodyLeft))
    .orderBy(auditEvents.at)
    .limit(limit);
  const rows = await db
    .delete(auditEvents)
    .where(inArray(auditEvents.id, some))
    .returning({ id: auditEvents.id });
  return rows.length;
}
