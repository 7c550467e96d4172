import { desc, eq } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { type UserRow, users } from "../accounts/users/users.table.ts";
import { subscriptions } from "../subscriptions/subscriptions.table.ts";

export interface UserListRow {
  user: UserRow;
  expiresAt: Date | null;
}

/** All accounts, newest first; at most 10,000. */
export async function listUsers(db: DbOrTx): Promise<UserListRow[]> {
  return await db
    .select({ user: users, expiresAt: subscriptions.expiresAt })
    .from(users)
    .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
    .orderBy(desc(users.createdAt), users.id)
    .limit(10_000);
}
