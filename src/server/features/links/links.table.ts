import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { users } from "../accounts/users/users.table.ts";
import { studies } from "../studies/studies.table.ts";

/**
 * Links with which people without an account see some studies of one account. Each request of a visit looks at the row, so that
 * a link ends everywhere at once. An ended link stays listed for a while.
 */
export const shareLinks = pgTable(
  "share_links",
  {
    id: uuid().primaryKey(),
    /** Whose studies they are. */
    accountId: uuid("account_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    secretHash: text("secret_hash").notNull().unique(),
    /** argon2id of six digits; null if the secret alone opens the link. */
    passcodeHash: text("passcode_hash"),
    /** Passcodes tried and not known to be right: each is counted before it is compared. */
    wrongPasscodes: integer("wrong_passcodes").notNull().default(0),
    recipient: text(),
    /** How many studies it was made of; null if an older release made it. */
    studyCount: integer("study_count"),
    laudo: boolean().notNull(),
    download: boolean().notNull(),
    maxOpenings: integer("max_openings"),
    openings: integer().notNull().default(0),
    lastOpenedAt: timestamp("last_opened_at", { withTimezone: true }),
    /** When the owner was last mailed about an opening. */
    mailedAt: timestamp("mailed_at", { withTimezone: true }),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
    endedAt: timestamp("ended_at", { withTimezone: true }),
    /** Whether wrong passcodes ended it. */
    isBlocked: boolean("is_blocked").notNull().default(false),
  },
  (table) => [
    index("share_links_account_id_idx").on(table.accountId, table.id),
    index("share_links_over_at_idx").on(sql`least(${table.expiresAt}, ${table.endedAt})`),
  ],
);

export const shareLinkStudies = pgTable(
  "share_link_studies",
  {
    linkId: uuid("link_id")
      .notNull()
      .references(() => shareLinks.id, { onDelete: "cascade" }),
    studyId: uuid("study_id")
      .notNull()
      .references(() => studies.id, { onDelete: "cascade" }),
    /** Its place among the link's studies. */
    place: integer().notNull(),
    /** When a download through this link was last charged to the owner. */
    chargedAt: timestamp("charged_at", { withTimezone: true }),
  },
  (table) => [
    primaryKey({ columns: [table.linkId, table.studyId] }),
    index("share_link_studies_study_id_idx").on(table.studyId),
  ],
);

/** The openings of a link, the newest of them. */
export const shareLinkVisits = pgTable(
  "share_link_visits",
  {
    id: uuid().primaryKey(),
    linkId: uuid("link_id")
      .notNull()
      .references(() => shareLinks.id, { onDelete: "cascade" }),
    at: timestamp({ withTimezone: true }).notNull(),
    address: text().notNull(),
    device: text(),
    /** SHA-256 of the random text by which its browser may open it again, if the answer was lost. */
    attemptHash: text("attempt_hash"),
    readReport: boolean("read_report").notNull().default(false),
    downloaded: boolean().notNull().default(false),
  },
  (table) => [index("share_link_visits_link_id_idx").on(table.linkId, table.id)],
);

export type LinkRow = typeof shareLinks.$inferSelect;
export type VisitRow = typeof shareLinkVisits.$inferSelect;
