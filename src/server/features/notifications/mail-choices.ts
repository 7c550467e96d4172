import type { MailChoice } from "../../../shared/api/notifications.ts";
import type { Role } from "../../../shared/api/users.ts";
import {
  eventsOf,
  type NotificationEvent,
  notificationEvents,
} from "../../../shared/rules/notification-events.ts";
import type { DbOrTx } from "../../db/client.ts";
import { listMailChoices } from "./notifications.repo.ts";

/** Whether the account wants a mail about an event. */
export async function wantsMail(db: DbOrTx, userId: string, event: NotificationEvent): Promise<boolean> {
  const chosen = (await listMailChoices(db, userId)).find((choice) => choice.event === event);
  return chosen?.wanted ?? notificationEvents[event].isMailedAtFirst;
}

/** Every event that the account is told about, with its choice or what holds without one. */
export async function readMailChoices(
  db: DbOrTx,
  { userId, role }: { userId: string; role: Role },
): Promise<MailChoice[]> {
  const chosen = new Map((await listMailChoices(db, userId)).map(({ event, wanted }) => [event, wanted]));
  return eventsOf(role).map((event) => ({
    event,
    wanted: chosen.get(event) ?? notificationEvents[event].isMailedAtFirst,
  }));
}
