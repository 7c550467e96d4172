import {
  boolean,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { NotificationDetails } from "../../../shared/api/notifications.ts";
import type { NotificationEvent } from "../../../shared/rules/notification-events.ts";
import { keyOf } from "../../db/key-of.ts";
import { users } from "../accounts/users/users.table.ts";

/** What an account is told about: the newest of each event and subject, and of all of them the newest hundred. */
export const notifications = pgTable(
  "notifications",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    event: text().$type<NotificationEvent>().notNull(),
    /** The study, payment, account or delivery it is about: told again, it replaces what was told before. */
    subjectId: uuid("subject_id").notNull(),
    /** The subject, if it is a study. */
    studyId: uuid("study_id").references(() => keyOf("studies"), { onDelete: "cascade" }),
    /** Who caused it. */
    actorId: uuid("actor_id").references(() => users.id, { onDelete: "set null" }),
    details: jsonb().$type<NotificationDetails>().notNull(),
    at: timestamp({ withTimezone: true }).notNull(),
    readAt: timestamp("read_at", { withTimezone: true }),
  },
  (table) => [
    uniqueIndex("notifications_subject_key").on(table.userId, table.event, table.subjectId),
    index("notifications_user_id_at_idx").on(table.userId, table.at.desc(), table.id),
    index("notifications_study_id_idx").on(table.studyId),
    index("notifications_actor_id_idx").on(table.actorId),
  ],
);

/** Whether an account wants a mail about an event, where it has said so. */
export const mailChoices = pgTable(
  "mail_choices",
  {
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    event: text().$type<NotificationEvent>().notNull(),
    wanted: boolean().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.event] })],
);
