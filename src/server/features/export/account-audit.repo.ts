import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { users } from "../accounts/users/users.table.ts";
import { auditEvents } from "../audit/audit.table.ts";

/** A row of {@link listAccountAudit}; the next page begins after its `id`. */
export type AccountAuditRow = Awaited<ReturnType<typeof listAccountAudit>>[number];

/**
 * Events in an account and its user's acts elsewhere, newest first, before the row `beforeId`. For a study of another
 * account, only the act is included.
 */
export async function listAccountAudit(
  db: DbOrTx,
  accountId: string,
  beforeId: number | null,
  limit: number,
) {
  const isOwn = sql`${auditEvents.accountId} = ${accountId}`;
  return await db
    .select({
      id: auditEvents.id,
      at: auditEvents.at,
      action: auditEvents.action,
      actorName: users.name,
      studyInstanceUID: sql<string | null>`case when ${isOwn} then ${auditEvents.studyInstanceUID} end`,
      // Another person's network address is not shown.
      address: sql<
        string | null
      >`case when ${isOwn} or ${auditEvents.actorId} = ${accountId} then ${auditEvents.address} end`,
    })
    .from(auditEvents)
    .leftJoin(users, eq(users.id, auditEvents.actorId))
    .where(
      and(
        or(eq(auditEvents.accountId, accountId), eq(auditEvents.actorId, accountId)),
        beforeId === null ? undefined : lt(auditEvents.id, beforeId),
      ),
    )
    .orderBy(desc(auditEvents.id))
    .limit(limit);
}
