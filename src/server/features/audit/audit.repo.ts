import { and, desc, eq, gte, inArray, isNotNull, isNull, like, lt, or, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { keyOf } from "../../db/key-of.ts";
import type { OneStatement } from "../../db/one-statement.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { auditEvents } from "./audit.table.ts";

export type AuditAction =
  | "user.registered"
  | "session.opened"
  | "session.failed"
  | "session.closed"
  | "password.reset"
  | "password.changed"
  | "factor.added"
  | "factor.renamed"
  | "factor.removed"
  | "factors.cleared"
  | "recovery_codes.made"
  | "recovery_code.used"
  | "email.asked"
  | "email.changed"
  | "email.stopped"
  | "email.restored"
  | "two_factor.on"
  | "two_factor.off"
  | "token.made"
  | "token.ended"
  | "receiver.made"
  | "receiver.ended"
  | "terms.accepted"
  | "user.added"
  | "user.changed"
  | "user.deleted"
  | "study.uploaded"
  | "study.opened"
  | "study.downloaded"
  | "study.deleted"
  | "study.renamed"
  | "study.granted"
  | "study.revoked"
  | "study.offered"
  | "study.offer_withdrawn"
  | "link.created"
  | "link.opened"
  | "link.ended"
  | "link.blocked"
  | "request.created"
  | "request.ended"
  | "delivery.begun"
  | "report.uploaded"
  | "report.opened"
  | "report.deleted"
  | "lab.uploaded"
  | "lab.opened"
  | "lab.downloaded"
  | "lab.deleted"
  | "account.exported"
  | "payment.created"
  | "payment.paid"
  | "payment.failed"
  | "payment.refund_asked"
  | "payment.returned"
  | "payment.refunded"
  | "plan.changed"
  | "subscription.chosen"
  | "subscription.cancelled"
  | "exams.removed"
  | "exams.restored"
  | "exams.purged"
  | "dead_letters.retried"
  | "dead_letters.dismissed";

export interface AuditEvent {
  at: Date;
  action: AuditAction;
  actorId: string | null;
  accountId: string | null;
  studyId?: string;
  studyInstanceUID?: string;
  address?: string;
  requestId?: string;
  /** The access token that acted for the actor; it is kept in `details`. */
  accessTokenId?: string;
  details?: Record<string, unknown>;
}

/** The part of an event that names the study it is about. */
export function aboutStudy(study: {
  id: string;
  accountId: string;
  studyInstanceUID: string;
}): Required<Pick<AuditEvent, "accountId" | "studyId" | "studyInstanceUID">> {
  const { id, accountId, studyInstanceUID } = study;
  return { accountId, studyId: id, studyInstanceUID };
}

const newAuditEvent = prepared((db, given: Given<Omit<AuditEvent, "accessTokenId">>) => {
  const { at, action, actorId, accountId, studyId, studyInstanceUID, address, requestId, details } = given;
  return db.insert(auditEvents).values({
    at,
    action,
    actorId,
    accountId,
    studyId,
    studyInstanceUID,
    address,
    requestId,
    details,
  });
});

/** Appends one row. In a transaction, the row is kept only if the recorded act is committed. */
export async function recordAudit(db: DbOrTx, { accessTokenId, ...event }: AuditEvent): Promise<void> {
  await newAuditEvent(db, { ...event, details: withToken(event.details, accessTokenId) });
}

type AuditOfStudies = Omit<AuditEvent, "studyId" | "studyInstanceUID"> & {
  studyIds: string[];
  studyInstanceUIDs: string[];
};

/** `unnest` makes as many rows of the one that is written. */
const auditOfStudies = prepared((db, given: Given<Omit<AuditOfStudies, "accessTokenId">>) => {
  const { at, action, actorId, accountId, studyIds, studyInstanceUIDs, address, requestId, details } = given;
  return db.insert(auditEvents).values({
    at,
    action,
    actorId,
    accountId,
    studyId: sql`unnest(${studyIds}::uuid[])`,
    studyInstanceUID: sql`unnest(${studyInstanceUIDs}::text[])`,
    address,
    requestId,
    details,
  });
});

/** Appends a row for each study. `studyIds` and `studyInstanceUIDs` have the same order. */
export async function recordAuditOfStudies(
  tx: Tx | OneStatement,
  { accessTokenId, ...events }: AuditOfStudies,
): Promise<void> {
  if (events.studyIds.length === 0) return;
  await auditOfStudies(tx, { ...events, details: withToken(events.details, accessTokenId) });
}

function withToken(details: AuditEvent["details"], accessTokenId: string | undefined): AuditEvent["details"] {
  return accessTokenId ? { ...details, accessTokenId } : details;
}

/**
 * Whether another account made this one an admin, or changed its address, since `since`. Rows of the previous version do not
 * record changes of address.
 */
export async function wasMadeAdminSince(db: DbOrTx, accountId: string, since: Date): Promise<boolean> {
  const { action, details } = auditEvents;
  const isAdded = and(eq(action, "user.added"), sql`${details} ->> 'role' = 'admin'`);
  const isChanged = and(eq(action, "user.changed"), sql`${details} ?| array['becomesAdmin', 'isMoved']`);
  const [row] = await db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(and(eq(auditEvents.accountId, accountId), gte(auditEvents.at, since), or(isAdded, isChanged)))
    .limit(1);
  return row !== undefined;
}

/** Among so many of an account's newest acts the last change of its password is looked for. */
const MAX_ACTS = 10_000;

/** Whether this actor downloaded a laboratory exam, as one action of their month, since then. */
export async function wasLabDownloadedSince(
  db: DbOrTx,
  { actorId, labExamId }: { actorId: string; labExamId: string },
  since: Date,
): Promise<boolean> {
  const { action, details } = auditEvents;
  const downloads = and(
    eq(auditEvents.actorId, actorId),
    gte(auditEvents.at, since),
    eq(action, "lab.downloaded" satisfies AuditAction),
    sql`${details} ->> 'id' = ${labExamId}`,
  );
  const [row] = await db.select({ id: auditEvents.id }).from(auditEvents).where(downloads).limit(1);
  return row !== undefined;
}

/** When the account's password was last changed. Undefined if its newest acts have no change. */
export async function findPasswordChange(db: DbOrTx, accountId: string): Promise<Date | undefined> {
  const newest = db
    .select({ at: auditEvents.at, action: auditEvents.action })
    .from(auditEvents)
    .where(eq(auditEvents.accountId, accountId))
    .orderBy(desc(auditEvents.id))
    .limit(MAX_ACTS)
    .as("newest");
  const [row] = await db
    .select({ at: newest.at })
    .from(newest)
    .where(inArray(newest.action, ["password.changed", "password.reset"] satisfies AuditAction[]))
    .limit(1);
  return row?.at;
}

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
  await tx
    .update(auditEvents)
    .set({
      studyInstanceUID: null,
      details: sql`case when ${typed} then null else ${auditEvents.details} end`,
    })
    .where(eq(auditEvents.accountId, accountId));
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
