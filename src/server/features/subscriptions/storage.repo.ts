import { and, eq, ne, type Placeholder, type SQLWrapper, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { users } from "../accounts/users/users.table.ts";
import { plans, storageTallies, subscriptions } from "./subscriptions.table.ts";

/** An account's stored bytes, as a subquery of another statement. */
export const storedBytes = (accountId: Placeholder | SQLWrapper) =>
  sql<number>`(select coalesce(sum(${storageTallies.bytes}), 0)::bigint from ${storageTallies}
    where ${eq(storageTallies.accountId, accountId)})`.mapWith(Number);

/** An account's stored bytes. */
export async function sumStorage(db: DbOrTx, accountId: string): Promise<number> {
  const [row] = await db
    .select({ bytes: sql`coalesce(sum(${storageTallies.bytes}), 0)`.mapWith(Number) })
    .from(storageTallies)
    .where(eq(storageTallies.accountId, accountId));
  return row?.bytes ?? 0;
}

export interface StorageQuota {
  usedBytes: number;
  limitBytes: number;
}

const storageQuota = prepared((db, given: Given<{ accountId: string }>) =>
  db
    .select({ usedBytes: storedBytes(given.accountId), limitBytes: plans.storageBytes })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .innerJoin(users, and(eq(users.id, subscriptions.userId), ne(users.role, "admin")))
    .where(eq(subscriptions.userId, given.accountId)),
);

/** An account's stored bytes and limit; `undefined` if it has no limit: an admin, or an account without a plan. */
export async function findStorageQuota(db: DbOrTx, accountId: string): Promise<StorageQuota | undefined> {
  const [row] = await storageQuota(db, { accountId });
  return row;
}
