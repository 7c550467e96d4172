import { and, desc, eq, gte, inArray, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
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

/** Whether an admin ever said whether an account may come in. */
export function hadAuthorizationChanged(accountId: SQLWrapper): SQL {
  const { action, details } = auditEvents;
  return sql`exists (select from ${auditEvents} where ${auditEvents.accountId} = ${accountId}
    and ${eq(action, "user.changed")} and ${details} -> 'changed' ? 'isAuthorized')`;
}

/**
 * Whether another account made this one an admin, or changed its address, since `since`. Rows of release 0.1 do not record
 * changes of address.
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

/** How many of an account's newest acts are searched for the last change of its password. */
const MAX_ACTS = 10_000;

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
