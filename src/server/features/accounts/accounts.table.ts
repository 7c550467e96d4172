import { sql } from "drizzle-orm";
import {
  boolean,
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
import { keyOf } from "../../db/key-of.ts";
import { users } from "./users/users.table.ts";

/** One row per sign-in. A token is valid while its row exists and is not revoked, idle or too old. */
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

/**
 * Release 0.1 keeps its codes here, and its nodes may run beside this version's until they are replaced; nothing else reads or writes it.
 * It can be dropped once 0.1 is no longer the last release (docs/migrations.md).
 */
export const loginChallenges = pgTable(
  "login_challenges",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Hash of the code mailed last. Sending another code replaces it. */
    codeHash: text("code_hash").notNull(),
    /** Wrong attempts at the code mailed last. */
    tries: integer().notNull().default(0),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [uniqueIndex("login_challenges_user_id_key").on(table.userId)],
);

/**
 * A sign-in that waits for its second factor: created by a correct password and valid for ten minutes. It belongs to the
 * browser that started it, or to the network if the browser returns no cookie.
 */
export const pendingLogins = pgTable(
  "pending_logins",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    browserHash: text("browser_hash").notNull(),
    network: text().notNull(),
    /** Hash of the code mailed last; empty if no code was mailed. */
    codeHash: text("code_hash").notNull(),
    codesSent: integer("codes_sent").notNull(),
    /** Wrong attempts by its own browser. */
    tries: integer().notNull().default(0),
    /** Wrong attempts by others on its network; they cannot use up the attempts of its browser. */
    networkTries: integer("network_tries").notNull().default(0),
    /** When the password was verified. */
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("pending_logins_user_id_idx").on(table.userId),
    index("pending_logins_expires_at_idx").on(table.expiresAt),
  ],
);

/**
 * Browsers and networks from which an account's owner has signed in, so that strangers' failed attempts do not lock the owner
 * out. A row authenticates nobody.
 */
export const knownPlaces = pgTable(
  "known_places",
  {
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** `browser` or `network`, and the hash of which. */
    kind: text().$type<"browser" | "network">().notNull(),
    key: text().notNull(),
    signedInAt: timestamp("signed_in_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.kind, table.key] }),
    index("known_places_signed_in_at_idx").on(table.signedInAt),
  ],
);

/**
 * The link in the warning that the old address gets: it stops a change of address or restores the old one. It works until
 * `expiresAt`, even if the password changes; no other account may take `oldEmail` until then.
 */
export const emailStops = pgTable(
  "email_stops",
  {
    tokenHash: text("token_hash").primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    oldEmail: text("old_email").notNull(),
    askedAt: timestamp("asked_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("email_stops_user_id_idx").on(table.userId, table.askedAt),
    index("email_stops_old_email_idx").on(sql`lower(${table.oldEmail})`),
  ],
);

/** Devices that skip the sign-in code (and nothing else) for 30 days. */
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

/** Links mailed to a user: single use, hashed, invalid after `expiresAt`. */
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

/**
 * Offers to doctors without an account, mailed as links: single use, hashed, invalid after `expiresAt`. They end with the other
 * links of the account that sent them, so that a thief of that account leaves none behind.
 */
export const doctorInvitations = pgTable(
  "doctor_invitations",
  {
    id: uuid().primaryKey(),
    tokenHash: text("token_hash").notNull(),
    studyId: uuid("study_id")
      .notNull()
      .references(() => keyOf("studies"), { onDelete: "cascade" }),
    invitedBy: uuid("invited_by")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    email: text().notNull(),
    asksForReport: boolean("asks_for_report").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    uniqueIndex("doctor_invitations_token_key").on(table.tokenHash),
    uniqueIndex("doctor_invitations_study_email_key").on(table.studyId, sql`lower(${table.email})`),
    index("doctor_invitations_invited_by_idx").on(table.invitedBy),
    index("doctor_invitations_expires_at_idx").on(table.expiresAt),
  ],
);
