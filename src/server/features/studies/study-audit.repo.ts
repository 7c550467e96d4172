import { desc, eq, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { users } from "../accounts/users/users.table.ts";
import { auditEvents } from "../audit/audit.table.ts";

/** A study's events, newest first. `actorName` is null if the actor's account is deleted. */
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
    })
    .from(auditEvents)
    .leftJoin(users, eq(users.id, auditEvents.actorId))
    .where(eq(auditEvents.studyId, studyId))
    .orderBy(desc(auditEvents.id))
    .limit(limit);
}
