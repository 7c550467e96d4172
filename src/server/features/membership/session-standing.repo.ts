import { eq } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { sessions } from "../accounts/accounts.table.ts";
import { users } from "../accounts/users/users.table.ts";
import { subscriptions } from "../subscriptions/subscriptions.table.ts";

/**
 * The columns that decide whether a session is alive and what it may do, from `sessions` joined with its user and
 * subscription.
 */
export const sessionFields = {
  userId: sessions.userId,
  createdAt: sessions.createdAt,
  lastSeenAt: sessions.lastSeenAt,
  revokedAt: sessions.revokedAt,
  role: users.role,
  isAuthorized: users.isAuthorized,
  isTrial: users.isTrial,
  subscriptionStatus: subscriptions.status,
  expiresAt: subscriptions.expiresAt,
};

const sessionRow = prepared((db, given: Given<{ id: string }>) =>
  db
    .select(sessionFields)
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
    .where(eq(sessions.id, given.id)),
);

export type SessionRow = NonNullable<Awaited<ReturnType<typeof findSessionRow>>>;

/** A session with its user's current rights. It is one statement because every request runs it. */
export async function findSessionRow(db: DbOrTx, id: string) {
  const [row] = await sessionRow(db, { id });
  return row;
}
