import { sql } from "drizzle-orm";
import { index, pgTable, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea } from "../../db/bytea.ts";
import { users } from "../accounts/users/users.table.ts";

/**
 * Messages of the support form, kept for a year. The form needs no authorisation: the sender's name and address are
 * unverified.
 */
export const supportMessages = pgTable(
  "support_messages",
  {
    id: uuid().primaryKey(),
    userName: text("user_name").notNull(),
    userEmail: text("user_email").notNull(),
    subject: text().notNull(),
    message: text().notNull(),
    /** At most 5 MB; the type is verified by its first bytes. */
    image: bytea(),
    imageType: text("image_type"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** The account that sent it, if that is certain. The account's export contains it, and it is deleted with the account. */
    accountId: uuid("account_id").references(() => users.id, { onDelete: "cascade" }),
    /** By which its sender may ask again after a lost answer; null if they gave none. */
    idempotencyKey: text("idempotency_key"),
  },
  (table) => [
    index("support_messages_created_at_idx").on(table.createdAt),
    index("support_messages_account_id_idx").on(table.accountId),
    index("support_messages_email_idx").on(sql`lower(${table.userEmail})`),
    // Of the address too, so that nobody's key stands in the way of somebody else's.
    uniqueIndex("support_messages_idempotency_key")
      .on(table.userEmail, table.idempotencyKey)
      .where(sql`${table.idempotencyKey} is not null`),
  ],
);
