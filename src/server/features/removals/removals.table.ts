import { index, integer, pgEnum, pgTable, timestamp, uuid } from "drizzle-orm/pg-core";
import { users } from "../accounts/users/users.table.ts";
import { plans } from "../subscriptions/subscriptions.table.ts";

export const removalReason = pgEnum("removal_reason", ["cancelled", "lapsed"]);

/**
 * All exams of an account, removed at once: by a cancellation, or a year after the subscription ended. Studies and lab exams
 * carry the removal's id; an admin can undo it until `purgeAfter`.
 */
export const removals = pgTable(
  "removals",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    reason: removalReason().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    purgeAfter: timestamp("purge_after", { withTimezone: true }).notNull(),
    undoneAt: timestamp("undone_at", { withTimezone: true }),
    purgedAt: timestamp("purged_at", { withTimezone: true }),
    studyCount: integer("study_count").notNull(),
    labExamCount: integer("lab_exam_count").notNull(),
    /** The subscription at the removal, for the undo. */
    planId: uuid("plan_id")
      .notNull()
      .references(() => plans.id),
    expiresAt: timestamp("expires_at", { withTimezone: true }),
  },
  (table) => [
    index("removals_user_id_idx").on(table.userId),
    index("removals_purge_after_idx").on(table.purgeAfter),
  ],
);

export type RemovalRow = typeof removals.$inferSelect;
