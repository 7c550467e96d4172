import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { DbOrTx } from "../../db/client.ts";
import { accessTokens } from "../accounts/access-tokens/access-tokens.table.ts";
import { actingToken } from "../accounts/access-tokens/acting-token.repo.ts";
import { users } from "../accounts/users/users.table.ts";
import type { AuditAction } from "../audit/audit.repo.ts";
import { auditEvents } from "../audit/audit.table.ts";
import { studies } from "./studies.table.ts";

const UPLOADED = "study.uploaded" satisfies AuditAction;
/** Of a clinic without an account. The account of an actor who had one stays in the row when it is deleted. */
const isDelivery = sql<boolean>`(${and(isNull(auditEvents.actorId), eq(auditEvents.action, UPLOADED))})`;
const earlier = alias(auditEvents, "earlier");
const isFirst = sql`not exists (select from ${auditEvents} as earlier where ${earlier.studyId} = ${auditEvents.studyId}
  and ${earlier.action} = ${UPLOADED} and ${earlier.id} < ${auditEvents.id})`;
/** Older releases did not record who delivered. The exam names the sender of its first upload alone. */
const deliveredBy = sql`coalesce(${auditEvents.details} ->> 'from', case when ${isFirst} then ${studies.receivedFrom} end)`;

/** A study's events, newest first. `actorName` is null if the actor's account is deleted, or they never had one. */
export async function listStudyAudit(db: DbOrTx, studyId: string, limit: number) {
  const token = actingToken(studies.accountId);
  return await db
    .select({
      at: auditEvents.at,
      action: auditEvents.action,
      actorName: users.name,
      address: auditEvents.address,
      /** Of a visitor: the link they used, and what their browser says it is. */
      linkId: sql<string | null>`${auditEvents.details} ->> 'linkId'`,
      device: sql<string | null>`${auditEvents.details} ->> 'device'`,
      isDelivery,
      /** Who delivered; null if it is not known. */
      from: sql<string | null>`case when ${isDelivery} then ${deliveredBy} end`,
      ...token.fields,
    })
    .from(auditEvents)
    .leftJoin(users, eq(users.id, auditEvents.actorId))
    .leftJoin(studies, eq(studies.id, auditEvents.studyId))
    .leftJoin(accessTokens, token.isOf)
    .where(eq(auditEvents.studyId, studyId))
    .orderBy(desc(auditEvents.id))
    .limit(limit);
}
