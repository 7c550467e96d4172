import { and, eq, gt, gte, inArray, like, lte, ne } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { users } from "../accounts/users/users.table.ts";
import { subscriptionNotices, subscriptions } from "./subscriptions.table.ts";

/** A mail that is sent once per end of a subscription; the number is in days. */
export type NoticeKind =
  | "expiring.7"
  | "expiring.3"
  | "expiring.0"
  | "removal.30"
  | "removal.7"
  | "removal.1";

/** Records that a mail is sent in this transaction. Returns `false` if it was sent before. */
export async function insertNotice(
  tx: Tx,
  notice: { userId: string; kind: NoticeKind; expiresAt: Date; sentAt: Date },
): Promise<boolean> {
  const rows = await tx
    .insert(subscriptionNotices)
    .values(notice)
    .onConflictDoNothing()
    .returning({ kind: subscriptionNotices.kind });
  return rows.length === 1;
}

/** The mails sent for one end of one subscription, with their times. */
export async function findNoticesFor(
  db: DbOrTx,
  userId: string,
  expiresAt: Date,
): Promise<Map<string, Date>> {
  const rows = await db
    .select({ kind: subscriptionNotices.kind, sentAt: subscriptionNotices.sentAt })
    .from(subscriptionNotices)
    .where(and(eq(subscriptionNotices.userId, userId), eq(subscriptionNotices.expiresAt, expiresAt)));
  return new Map(rows.map(({ kind, sentAt }) => [kind, sentAt]));
}

/** Deletes the records of removal warnings, so that they are sent again before the next removal. */
export async function deleteRemovalNotices(tx: Tx, userId: string, expiresAt: Date): Promise<void> {
  await tx
    .delete(subscriptionNotices)
    .where(
      and(
        eq(subscriptionNotices.userId, userId),
        eq(subscriptionNotices.expiresAt, expiresAt),
        like(subscriptionNotices.kind, "removal.%"),
      ),
    );
}

/**
 * Accounts after `afterUserId`, in order, whose subscription ends between two instants, with the mails sent to them for any
 * end. Admins and unauthorised accounts are left out.
 */
export async function listEndingAccounts(
  db: DbOrTx,
  between: { from: Date; to: Date },
  afterUserId: string | null,
  limit: number,
): Promise<{ userId: string; expiresAt: Date; sent: Set<string> }[]> {
  const rows = await db
    .select({ userId: subscriptions.userId, expiresAt: subscriptions.expiresAt })
    .from(subscriptions)
    .innerJoin(users, eq(users.id, subscriptions.userId))
    .where(
      and(
        eq(subscriptions.status, "active"),
        gte(subscriptions.expiresAt, between.from),
        lte(subscriptions.expiresAt, between.to),
        ne(users.role, "admin"),
        eq(users.isAuthorized, true),
        afterUserId === null ? undefined : gt(subscriptions.userId, afterUserId),
      ),
    )
    .orderBy(subscriptions.userId)
    .limit(limit);
  const userIds = rows.map(({ userId }) => userId);
  const notices =
    userIds.length === 0
      ? []
      : await db.select().from(subscriptionNotices).where(inArray(subscriptionNotices.userId, userIds));
  return rows.flatMap(({ userId, expiresAt }) => {
    if (expiresAt === null) return [];
    const ofThisEnd = notices.filter(
      (notice) => notice.userId === userId && notice.expiresAt.getTime() === expiresAt.getTime(),
    );
    return [{ userId, expiresAt, sent: new Set(ofThisEnd.map(({ kind }) => kind)) }];
  });
}
