import { and, eq, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { auditEvents } from "../../audit/audit.table.ts";
import { accessTokens } from "./access-tokens.table.ts";

const ID = sql`${auditEvents.details} ->> 'accessTokenId'`;

/** The access token by which a program acted, for queries of the audit; tells an account of its own tokens alone. */
export function actingToken(accountId: string | AnyPgColumn) {
  return {
    /** The token, while it has not ended. */
    isOf: and(eq(sql`${accessTokens.id}::text`, ID), eq(accessTokens.userId, accountId)) as SQL,
    fields: {
      isByToken: sql<boolean>`(${ID} is not null and ${auditEvents.actorId} = ${accountId})`,
      tokenName: accessTokens.name,
    },
  };
}
