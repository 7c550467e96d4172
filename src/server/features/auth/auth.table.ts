import {
  index,
  integer,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
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

/** A sign-in that waits for its second factor: made by a right password, good for ten minutes. */
export const loginChallenges = pgTable(
  "login_challenges",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Hash of the code mailed last; a code sent again takes the place of the one before. */
    codeHash: text("code_hash").notNull(),
    /** Wrong tries at the code mailed last. */
    tries: integer().notNull().default(0),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [uniqueIndex("login_challenges_user_id_key").on(table.userId)],
);

/** Devices that skip the code (and nothing else) for 30 days. */
export const trustedDevices = pgTable(
  "trusted_devices",
  {
    tokenHash: text("token_hash").primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("trusted_devices_user_id_idx").on(table.userId)],
);

export const linkPurpose = pgEnum("link_purpose", ["reset", "invitation", "email"]);

/** Links mailed to somebody: single use, hashed, dead after `expiresAt`. */
export const mailedLinks = pgTable(
  "mailed_links",
  {
    tokenHash: text("token_hash").primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    purpose: linkPurpose().notNull(),
    /** The address that a link of purpose `email` confirms. */
    newEmail: text("new_email"),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("mailed_links_user_id_idx").on(table.userId, table.purpose)],
);
