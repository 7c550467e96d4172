import { and, count, eq, gt, inArray, isNotNull, isNull, like, lt, lte, max, or, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { keyOf } from "../../db/key-of.ts";
import { auditEvents } from "./audit.table.ts";

/** A trigger looks at each row: so many take some tenths of a second. */
const ROWS_PER_STATEMENT = 2_000;

/**
 * Removes what still identifies a deleted account from the next of its audit rows after `after`: the studies it had, and text that was
 * typed (names of factors and tokens, changes by an admin, DICOM senders and their addresses, senders without an account). The rows stay
 * under an id that nothing links to a person. Idempotent.
 * @returns the last row that was looked at; undefined if there are no more
 */
export async function pseudonymiseNext(
  db: DbOrTx,
  accountId: string,
  after: number,
): Promise<number | undefined> {
  const isTyped = or(
    ...["factor.%", "token.%", "receiver.%", "user.%", "study.uploaded"].map((actions) =>
      like(auditEvents.action, actions),
    ),
  );
  const those = and(
    eq(auditEvents.accountId, accountId),
    gt(auditEvents.id, after),
    or(isNotNull(auditEvents.studyInstanceUID), and(isTyped, isNotNull(auditEvents.details))),
  );
  const some = db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(those)
    .orderBy(auditEvents.id)
    .limit(ROWS_PER_STATEMENT)
    .as("some");
  const [end] = await db.select({ id: max(some.id), rows: count() }).from(some);
  if (end?.id == null) return undefined;
  await db
    .update(auditEvents)
    .set({
      studyInstanceUID: null,
      details: sql`case when ${isTyped} then null else ${auditEvents.details} end`,
    })
    .where(and(those, lte(auditEvents.id, end.id)));
  return end.rows === ROWS_PER_STATEMENT ? end.id : undefined;
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
