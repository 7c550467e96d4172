import { and, eq, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { auditEvents } from "../audit/audit.table.ts";
import { subscriptions } from "./subscriptions.table.ts";

/**
 * Those of the accounts whose subscription ends at the moment of a recorded cancellation; a later period has another end.
 */
export async function findCancelledAccounts(
  db: DbOrTx,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectDistinct({ userId: subscriptions.userId })
    .from(subscriptions)
    .innerJoin(
      auditEvents,
      and(eq(auditEvents.at, subscriptions.expiresAt), eq(auditEvents.accountId, subscriptions.userId)),
    )
    .where(
      and(
        eq(auditEvents.action, "subscription.cancelled"),
        sql`${subscriptions.userId} = any(${sql.param([...userIds])}::uuid[])`,
      ),
    );
  return new Set(rows.map((row) => row.userId));
}
