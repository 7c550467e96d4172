import { index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { users } from "../accounts/users/users.table.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** AE titles under which accounts receive instances over DIMSE. */
export const receivers = pgTable(
  "receivers",
  {
    id: uuid().primaryKey(),
    accountId: uuid("account_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    aeTitle: text("ae_title").notNull().unique("receivers_ae_title_key"),
    /** Empty: any sender. */
    callingAETitles: text("calling_ae_titles").array().notNull(),
    addresses: text().array().notNull(),
    createdAt: moment("created_at").notNull(),
    instances: integer().notNull().default(0),
    receivedAt: moment("received_at"),
    receivedTitle: text("received_title"),
    receivedAddress: text("received_address"),
    refusals: integer().notNull().default(0),
    refusedAt: moment("refused_at"),
    refusedTitle: text("refused_title"),
    refusedAddress: text("refused_address"),
  },
  (table) => [index("receivers_account_id_idx").on(table.accountId)],
);

/**
 * AE titles of receivers that ended and that senders may still have. A trigger writes them when the row of a receiver that stored or
 * refused something goes, whatever deletes it; it keeps the newest hundred of an account.
 */
export const retiredTitles = pgTable(
  "retired_titles",
  {
    aeTitle: text("ae_title").primaryKey(),
    /** Whose receiver it was; that account may be gone. */
    accountId: uuid("account_id").notNull(),
    retiredAt: moment("retired_at").notNull(),
  },
  (table) => [index("retired_titles_account_id_idx").on(table.accountId, table.retiredAt)],
);

export type ReceiverRow = typeof receivers.$inferSelect;
