import { desc, eq } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { users } from "../users/users.table.ts";
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
  | "terms.accepted"
  | "user.added"
  | "user.changed"
  | "user.deleted"
  | "study.uploaded"
  | "study.opened"
  | "study.downloaded"
  | "study.deleted"
  | "study.granted"
  | "study.revoked"
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
  | "exams.purged";

export interface AuditEvent {
  at: Date;
  action: AuditAction;
  actorId: string | null;
  accountId: string | null;
  studyId?: string;
  studyInstanceUID?: string;
  address?: string;
  requestId?: string;
  details?: Record<string, unknown>;
}

const newAuditEvent = prepared((db, given: Given<AuditEvent>) => {
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

/** Rows are only ever added. In a transaction, the row stands or falls with the act it tells of. */
export async function recordAudit(db: DbOrTx, event: AuditEvent): Promise<void> {
  await newAuditEvent(db, event);
}

/** What happened to a study, newest first. `actorName` is null for who is gone. */
export async function listStudyAudit(db: DbOrTx, studyId: string, limit: number) {
  return await db
    .select({
      at: auditEvents.at,
      action: auditEvents.action,
      actorName: users.name,
      address: auditEvents.address,
    })
    .from(auditEvents)
    .leftJoin(users, eq(users.id, auditEvents.actorId))
    .where(eq(auditEvents.studyId, studyId))
    .orderBy(desc(auditEvents.id))
    .limit(limit);
}

/** What happened in an account and what its user did, newest first. */
export async function listAccountAudit(db: DbOrTx, accountId: string, limit: number) {
  return await db
    .select({
      at: auditEvents.at,
      action: auditEvents.action,
      actorName: users.name,
      studyInstanceUID: auditEvents.studyInstanceUID,
      address: auditEvents.address,
    })
    .from(auditEvents)
    .leftJoin(users, eq(users.id, auditEvents.actorId))
    .where(eq(auditEvents.accountId, accountId))
    .orderBy(desc(auditEvents.id))
    .limit(limit);
}
