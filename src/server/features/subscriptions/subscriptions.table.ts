import {
  bigint,
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
import { GIB } from "../../../shared/units.ts";
import { users } from "../accounts/users/users.table.ts";

export const plans = pgTable("plans", {
  id: uuid().primaryKey(),
  /** `avaliacao`, `cortesia`, `essencial`, …; the program refers to seeded plans by it. */
  slug: text().notNull().unique(),
  name: text().notNull(),
  priceCents: integer("price_cents").notNull(),
  examLimit: integer("exam_limit").notNull(),
  downloadDeleteLimit: integer("download_delete_limit").notNull(),
  /** The storage limit per account, in bytes. */
  storageBytes: bigint("storage_bytes", { mode: "number" })
    .notNull()
    .default(20 * GIB),
  /** Whether it is offered in `/plans`. */
  isOffered: boolean("is_offered").notNull(),
});

export const subscriptionStatus = pgEnum("subscription_status", ["active", "pending"]);

/**
 * An account's only subscription, with its counters. `expired` is never stored: it is `expiresAt` in the past. Counters
 * change only by conditional updates, so that limits hold under concurrency.
 */
export const subscriptions = pgTable(
  "subscriptions",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    planId: uuid("plan_id")
      .notNull()
      .references(() => plans.id),
    status: subscriptionStatus().notNull(),
    startDate: timestamp("start_date", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }),
    examCount: integer("exam_count").notNull().default(0),
    labExamCount: integer("lab_exam_count").notNull().default(0),
    downloads: integer().notNull().default(0),
    deletes: integer().notNull().default(0),
    labDownloads: integer("lab_downloads").notNull().default(0),
    labDeletes: integer("lab_deletes").notNull().default(0),
    /** Start of the period of the action counters. */
    lastResetDate: timestamp("last_reset_date", { withTimezone: true }).notNull(),
  },
  (table) => [uniqueIndex("subscriptions_user_id_key").on(table.userId)],
);

/**
 * The bytes that an account stores: the sum over all its rows. Triggers on stored objects, studies and lab exams write it in
 * the transaction of every change, whichever program makes it. Exams that wait to be purged are not counted. As in
 * `study_tallies`, rows are replaced instead of changed, so no transaction waits for another's lock.
 */
export const storageTallies = pgTable(
  "storage_tallies",
  {
    id: uuid().primaryKey(),
    /** No reference, because rows are also written while the account is being deleted. */
    accountId: uuid("account_id").notNull(),
    bytes: bigint({ mode: "number" }).notNull(),
  },
  (table) => [index("storage_tallies_account_idx").on(table.accountId)],
);

export const usageAction = pgEnum("usage_action", ["upload", "download", "delete"]);

export const usageEvents = pgTable(
  "usage_events",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    actionType: usageAction("action_type").notNull(),
    studyInstanceUID: text("study_instance_uid").notNull(),
    timestamp: timestamp({ withTimezone: true }).notNull(),
  },
  (table) => [index("usage_events_user_id_idx").on(table.userId, table.id)],
);

/** Sent mails about the end of a subscription, so that each is sent once. */
export const subscriptionNotices = pgTable(
  "subscription_notices",
  {
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** `expiring.7`, `expiring.3`, `expiring.0`, `removal.30`, `removal.7`, `removal.1`. */
    kind: text().notNull(),
    /** The end that the mail is about: after a renewal the same kind is sent again. */
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
    sentAt: timestamp("sent_at", { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.kind, table.expiresAt] })],
);
