import type { DbOrTx } from "../../db/client.ts";
import { auditEvents } from "./audit.table.ts";

export type AuditAction =
  | "user.registered"
  | "session.opened"
  | "session.failed"
  | "session.closed"
  | "password.reset"
  | "password.changed"
  | "email.asked"
  | "email.changed"
  | "terms.accepted"
  | "user.added"
  | "user.changed"
  | "user.deleted"
  | "study.uploaded"
  | "study.opened"
  | "study.downloaded"
  | "study.deleted"
  | "study.granted"
  | "study.revoked";

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

/** Rows are only ever added. In a transaction, the row stands or falls with the act it tells of. */
export async function recordAudit(db: DbOrTx, event: AuditEvent): Promise<void> {
  await db.insert(auditEvents).values(event);
}
