import { index, integer, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { users } from "../users/users.table.ts";

/** One row a sign-in. A token is good while its row is there, not revoked, not idle and not too old. */
export const sessions = pgTable(
  "sessions",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    lastSeenAt: timestamp("last_seen_at", { withTimezone: true }).notNull(),
    revokedAt: timestamp("revoked_at", { withTimezone: true }),
  },
  (table) => [index("sessions_user_id_idx").on(table.userId)],
);

/** Failures in the current window of one throttle (`login:address`, …) for one hashed key. */
export const throttles = pgTable(
  "throttles",
  {
    name: text().notNull(),
    key: text().notNull(),
    windowEndsAt: timestamp("window_ends_at", { withTimezone: true }).notNull(),
    failures: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.name, table.key] }),
    index("throttles_window_ends_at_idx").on(table.windowEndsAt),
  ],
);
