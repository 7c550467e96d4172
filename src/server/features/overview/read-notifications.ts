import { type NotificationList, notificationEventSchema } from "../../../shared/api/notifications.ts";
import { mayReadOf } from "../../../shared/rules/notification-events.ts";
import type { Deps } from "../../deps.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { listVisibleNotifications } from "./notification-list.repo.ts";

/**
 * What the caller is told, the newest first. An event of a newer version, which ran on this database before, is left out, and what
 * somebody was told as an admin who is none any more.
 */
export async function readNotifications({ db }: Pick<Deps, "db">, caller: Caller): Promise<NotificationList> {
  const rows = (await listVisibleNotifications(db, caller)).filter(
    ({ told: { event } }) =>
      notificationEventSchema.safeParse(event).success && mayReadOf(event, caller.role),
  );
  return {
    unread: rows.filter(({ told }) => told.readAt === null).length,
    notifications: rows.map(({ told, description, actorName }) => ({
      id: told.id,
      event: told.event,
      at: told.at.toISOString(),
      readAt: told.readAt?.toISOString() ?? null,
      actorName,
      study: told.studyId === null ? null : { id: told.studyId, studyDescription: description },
      details: told.details,
    })),
  };
}
