import { and, desc, eq, type SQL } from "drizzle-orm";
import type { UserListQuery } from "../../../shared/api/users.ts";
import type { DbOrTx } from "../../db/client.ts";
import { isNamedLike } from "../accounts/users/named-like.repo.ts";
import { type UserRow, users } from "../accounts/users/users.table.ts";
import { subscriptions } from "../subscriptions/subscriptions.table.ts";

export interface UserListRow {
  user: UserRow;
  expiresAt: Date | null;
}

const MAX_LISTED = 10_000;

/** A page of the accounts that pass the filters, newest first, and how many pass them; at most 10,000. */
export async function listUsers(
  db: DbOrTx,
  query: UserListQuery,
): Promise<{ rows: UserListRow[]; total: number }> {
  const { limit = MAX_LISTED, offset = 0 } = query;
  const filter = passes(query);
  const rows = await db
    .select({ user: users, expiresAt: subscriptions.expiresAt })
    .from(users)
    .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
    .where(filter)
    .orderBy(desc(users.createdAt), users.id)
    .limit(limit)
    .offset(offset);
  return { rows, total: await db.$count(users, filter) };
}

function passes({ search, role, status, id }: UserListQuery): SQL | undefined {
  return and(
    id === undefined ? undefined : eq(users.id, id),
    role === undefined ? undefined : eq(users.role, role),
    status === undefined ? undefined : eq(users.isAuthorized, status === "authorized"),
    isNamedLike(search),
  );
}
