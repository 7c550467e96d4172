import { sql } from "drizzle-orm";
import { customType, index, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { users } from "../accounts/users/users.table.ts";

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

/**
 * Messages of the support form. The form carries no authorisation: sender's name and address are what it says. Kept for a
 * year.
 */
export const supportMessages = pgTable(
  "support_messages",
  {
    id: uuid().primaryKey(),
    userName: text("user_name").notNull(),
    userEmail: text("user_email").notNull(),
    subject: text().notNull(),
    message: text().notNull(),
    /** At most 5 MB, proven by its first bytes. */
    image: bytea(),
    imageType: text("image_type"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** The account that sent it, where that is certain: it is in its export, and goes with it. */
    accountId: uuid("account_id").references(() => users.id, { onDelete: "cascade" }),
  },
  (table) => [
    index("support_messages_created_at_idx").on(table.createdAt),
    index("support_messages_account_id_idx").on(table.accountId),
    index("support_messages_email_idx").on(sql`lower(${table.userEmail})`),
  ],
);
