import { and, desc, eq, inArray, lt, sql } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import type { DbOrTx } from "../../db/client.ts";
import { accessTokens } from "../accounts/access-tokens/access-tokens.table.ts";
import { actingToken } from "../accounts/access-tokens/acting-token.repo.ts";
import { users } from "../accounts/users/users.table.ts";
import { auditEvents } from "../audit/audit.table.ts";
import { studies } from "../studies/studies.table.ts";

/** A page of an account's events: those before the row `beforeId`, or the newest ones. */
interface Page {
  beforeId: number | null;
  limit: number;
}

/** Ids of the page, from one index range scan for what happened in the account and one for its user's acts. */
function idsOf(db: DbOrTx, accountId: string, { beforeId, limit }: Page) {
  const { id } = auditEvents;
  const idsWhere = (column: typeof auditEvents.accountId | typeof auditEvents.actorId) =>
    db
      .select({ id })
      .from(auditEvents)
      .where(and(eq(column, accountId), beforeId === null ? undefined : lt(id, beforeId)))
      .orderBy(desc(id))
      .limit(limit);
  return union(idsWhere(auditEvents.accountId), idsWhere(auditEvents.actorId));
}

/** Another person's network address is not shown. */
const addressFor = (accountId: string) =>
  sql<
    string | null
  >`case when ${auditEvents.accountId} = ${accountId} or ${auditEvents.actorId} = ${accountId} then ${auditEvents.address} end`;

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
  return await db
    .select({
      id: auditEvents.id,
      at: auditEvents.at,
      action: auditEvents.action,
      actorName: users.name,
      studyInstanceUID: sql<
        string | null
      >`case when ${auditEvents.accountId} = ${accountId} then ${auditEvents.studyInstanceUID} end`,
      address: addressFor(accountId),
    })
    .from(auditEvents)
    .leftJoin(users, eq(users.id, auditEvents.actorId))
    .where(inArray(auditEvents.id, idsOf(db, accountId, { beforeId, limit })))
    .orderBy(desc(auditEvents.id))
    .limit(limit);
}

/** The same events as the account's owner reads them: who acted, and the name of their own exam while it exists. */
export async function listActivity(db: DbOrTx, accountId: string, page: Page) {
  const token = actingToken(accountId);
  return await db
    .select({
      id: auditEvents.id,
      at: auditEvents.at,
      action: auditEvents.action,
      actorId: auditEvents.actorId,
      actorName: users.name,
      exam: studies.description,
      address: addressFor(accountId),
      ...token.fields,
    })
    .from(auditEvents)
    .leftJoin(users, eq(users.id, auditEvents.actorId))
    .leftJoin(accessTokens, token.isOf)
    .leftJoin(studies, and(eq(studies.id, auditEvents.studyId), eq(studies.accountId, accountId)))
    .where(inArray(auditEvents.id, idsOf(db, accountId, page)))
    .orderBy(desc(auditEvents.id))
    .limit(page.limit);
}
