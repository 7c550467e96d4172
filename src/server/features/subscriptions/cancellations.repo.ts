import { and, eq } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { auditEvents } from "../audit/audit.table.ts";
import { subscriptions } from "./subscriptions.table.ts";

/**
 * Accounts whose subscription ends at the moment of a recorded cancellation; a later period has another end. With `userId` only that
 * account is looked at.
 */
export async function findCancelledAccounts(db: DbOrTx, userId?: string): Promise<ReadonlySet<string>> {
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
        userId === undefined ? undefined : eq(subscriptions.userId, userId),
      ),
    );
  return new Set(rows.map((row) => row.userId));
}
