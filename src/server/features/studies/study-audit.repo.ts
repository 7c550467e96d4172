import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { users } from "../accounts/users/users.table.ts";
import { auditEvents } from "../audit/audit.table.ts";
import { studies } from "./studies.table.ts";

/** Of a clinic without an account. */
const isDelivery = and(isNull(auditEvents.actorId), eq(auditEvents.action, "study.uploaded"));
/** Events of older releases have no name, but the exam may. */
const deliveredBy = sql`coalesce(${auditEvents.details} ->> 'from', ${studies.receivedFrom})`;

/** A study's events, newest first. `actorName` is null if the actor's account is deleted, or they never had one. */
export async function listStudyAudit(db: DbOrTx, studyId: string, limit: number) {
  return await db
    .select({
      at: auditEvents.at,
      action: auditEvents.action,
      actorName: users.name,
      address: auditEvents.address,
      /** Of a visitor: the link they used, and what their browser says it is. */
      linkId: sql<string | null>`${auditEvents.details} ->> 'linkId'`,
      device: sql<string | null>`${auditEvents.details} ->> 'device'`,
      from: sql<string | null>`case when ${isDelivery} then ${deliveredBy} end`,
    })
    .from(auditEvents)
    .leftJoin(users, eq(users.id, auditEvents.actorId))
    .leftJoin(studies, eq(studies.id, auditEvents.studyId))
    .where(eq(auditEvents.studyId, studyId))
    .orderBy(desc(auditEvents.id))
    .limit(limit);
}
