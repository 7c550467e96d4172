import { and, desc, eq, inArray, isNull, notInArray, sql } from "drizzle-orm";
import { MAX_NOTIFICATIONS, type MailChoice } from "../../../shared/api/notifications.ts";
import type { NotificationEvent } from "../../../shared/rules/notification-events.ts";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { mailChoices, notifications } from "./notifications.table.ts";

export type NotificationRow = typeof notifications.$inferSelect;

/**
 * Stores a notification. It replaces an earlier one of the same event and subject; with `once`, the earlier one stays instead. Deletes
 * the oldest ones beyond the limit. Returns whether this one was stored.
 */
export async function insertNotification(
  tx: Tx,
  row: Omit<NotificationRow, "readAt">,
  { once }: { once: boolean },
): Promise<boolean> {
  const { id, at, actorId, details, userId } = row;
  const target = [notifications.userId, notifications.event, notifications.subjectId];
  // A delivery may bring several studies; the first one stays.
  const studyId = sql`coalesce(${notifications.studyId}, excluded.study_id)`;
  const insert = tx.insert(notifications).values(row);
  const inserted = await (once
    ? insert.onConflictDoNothing({ target })
    : insert.onConflictDoUpdate({ target, set: { id, at, actorId, details, studyId, readAt: null } })
  ).returning({ id: notifications.id });
  if (inserted.length === 0) return false;
  const newest = tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(eq(notifications.userId, userId))
    .orderBy(desc(notifications.at), notifications.id)
    .limit(MAX_NOTIFICATIONS);
  await tx
    .delete(notifications)
    .where(and(eq(notifications.userId, userId), notInArray(notifications.id, newest)));
  return true;
}

/** Deletes what was told about a subject, to everybody or to one account. */
export async function deleteNotifications(
  tx: Tx,
  about: { event: NotificationEvent; subjectId: string; userId?: string },
): Promise<void> {
  const { event, subjectId, userId } = about;
  await tx
    .delete(notifications)
    .where(
      and(
        eq(notifications.event, event),
        eq(notifications.subjectId, subjectId),
        userId === undefined ? undefined : eq(notifications.userId, userId),
      ),
    );
}

/** Marks an account's notifications as read; all of them without `ids`. */
export async function markRead(
  db: DbOrTx,
  userId: string,
  ids: readonly string[] | undefined,
  readAt: Date,
): Promise<void> {
  await db
    .update(notifications)
    .set({ readAt })
    .where(
      and(
        eq(notifications.userId, userId),
        isNull(notifications.readAt),
        ids && inArray(notifications.id, [...ids]),
      ),
    );
}

/** All that an account is told, the newest first. */
export async function listNotificationsOf(db: DbOrTx, userId: string): Promise<NotificationRow[]> {
  return await db
    .select()
    .from(notifications)
    .where(eq(notifications.userId, userId))
    .orderBy(desc(notifications.at), notifications.id)
    .limit(MAX_NOTIFICATIONS);
}

/** What the account has said about mails; events it has not spoken of are missing. */
export async function listMailChoices(db: DbOrTx, userId: string): Promise<MailChoice[]> {
  return await db
    .select({ event: mailChoices.event, wanted: mailChoices.wanted })
    .from(mailChoices)
    .where(eq(mailChoices.userId, userId));
}

export async function saveMailChoice(
  db: DbOrTx,
  userId: string,
  { event, wanted }: MailChoice,
): Promise<void> {
  await db
    .insert(mailChoices)
    .values({ userId, event, wanted })
    .onConflictDoUpdate({ target: [mailChoices.userId, mailChoices.event], set: { wanted } });
}
