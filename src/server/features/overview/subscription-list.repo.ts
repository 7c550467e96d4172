import { and, count, desc, eq, isNotNull, not, or, type SQL } from "drizzle-orm";
import type { SubscriptionListQuery } from "../../../shared/api/subscriptions.ts";
import type { DbOrTx } from "../../db/client.ts";
import { isNamedLike } from "../accounts/users/named-like.repo.ts";
import { users } from "../accounts/users/users.table.ts";
import { openPayments } from "../payments/payments.repo.ts";
import { storedBytes } from "../subscriptions/storage.repo.ts";
import { isActiveAt } from "../subscriptions/subscriptions.repo.ts";
import { plans, subscriptions } from "../subscriptions/subscriptions.table.ts";

const MAX_LISTED = 10_000;

/**
 * A page of the subscriptions that pass the filters, with account and plan, newest first, and how many pass them; at most 10,000.
 * Subscriptions that were not paid in time are left out.
 */
export async function listSubscriptions(db: DbOrTx, query: SubscriptionListQuery, now: Date) {
  const { limit = MAX_LISTED, offset = 0 } = query;
  const open = openPayments(db, now);
  const filter = and(isNamedLike(query.search), hasStatus(query.status, now, isNotNull(open.id)));
  const rows = await db
    .select({
      user: { id: users.id, name: users.name, email: users.email },
      plan: plans,
      subscription: subscriptions,
      openPaymentId: open.id,
      storageUsedBytes: storedBytes(subscriptions.userId),
    })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .innerJoin(users, eq(users.id, subscriptions.userId))
    .leftJoin(open, eq(open.userId, subscriptions.userId))
    .where(filter)
    .orderBy(desc(subscriptions.startDate), desc(subscriptions.id))
    .limit(limit)
    .offset(offset);
  const isLastPage = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isLastPage) return { rows, total: offset + rows.length };
  const [counted] = await db
    .select({ total: count() })
    .from(subscriptions)
    .innerJoin(users, eq(users.id, subscriptions.userId))
    .leftJoin(open, eq(open.userId, subscriptions.userId))
    .where(filter);
  return { rows, total: counted?.total ?? 0 };
}

/** As `presentSubscription` says it. */
function hasStatus(status: SubscriptionListQuery["status"], now: Date, isPaying: SQL): SQL | undefined {
  const wasPaid = eq(subscriptions.status, "active");
  const isActive = isActiveAt(now);
  const isOver = isActive && not(isActive);
  if (status === "active") return isActive;
  if (status === "pending") return and(isOver, isPaying);
  if (status === "expired") return and(isOver, wasPaid, not(isPaying));
  return or(wasPaid, isPaying);
}
