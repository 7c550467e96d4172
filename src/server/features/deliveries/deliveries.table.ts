import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { users } from "../accounts/users/users.table.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** Requests with which people without an account bring exams to one account. */
export const deliveryRequests = pgTable(
  "delivery_requests",
  {
    id: uuid().primaryKey(),
    accountId: uuid("account_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    secretHash: text("secret_hash").notNull().unique(),
    label: text().notNull(),
    shownName: text("shown_name").notNull(),
    uses: integer().notNull(),
    /** Deliveries whose first study is stored. */
    used: integer().notNull().default(0),
    openedAt: moment("opened_at"),
    createdAt: moment("created_at").notNull(),
    expiresAt: moment("expires_at").notNull(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    index("delivery_requests_account_id_idx").on(table.accountId, table.id),
    index("delivery_requests_over_at_idx").on(sql`least(${table.expiresAt}, ${table.endedAt})`),
  ],
);

/** One clinic's delivery. Its token sends uploads into the account of its request. */
export const deliveries = pgTable(
  "deliveries",
  {
    id: uuid().primaryKey(),
    requestId: uuid("request_id")
      .notNull()
      .references(() => deliveryRequests.id, { onDelete: "cascade" }),
    tokenHash: text("token_hash").notNull().unique(),
    /** Who delivers, as they say. */
    sender: text().notNull(),
    createdAt: moment("created_at").notNull(),
    /** Uploads that were begun. */
    uploads: integer().notNull().default(0),
    /** When its first study was stored: from then on it counts as a use of the request. */
    receivedAt: moment("received_at"),
    /** The studies that it made. */
    studyIds: uuid("study_ids").array().notNull().default(sql`'{}'`),
    /** The volumes that it brought, of whatever studies. */
    volumeIds: uuid("volume_ids").array().notNull().default(sql`'{}'`),
    images: integer().notNull().default(0),
  },
  (table) => [index("deliveries_request_id_idx").on(table.requestId, table.id)],
);

export type RequestRow = typeof deliveryRequests.$inferSelect;
export type DeliveryRow = typeof deliveries.$inferSelect;
