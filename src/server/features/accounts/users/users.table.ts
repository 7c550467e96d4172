import { sql } from "drizzle-orm";
import { boolean, index, pgEnum, pgTable, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { Locale } from "../../../../shared/locale.ts";

export const userRole = pgEnum("user_role", ["admin", "user", "doctor", "lab"]);

export const users = pgTable(
  "users",
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    /** As typed; compared without case. */
    email: text().notNull(),
    /** Digits (and capitals, for an alphanumeric CNPJ) only. */
    cpfcnpj: text(),
    /** When the user used a code or link mailed to `email`; null while nobody has proven to read that mailbox. */
    emailProvenAt: timestamp("email_proven_at", { withTimezone: true }),
    /** The address that the labels of the account's studies say; null if no sweep has looked at the account yet. */
    labelledEmail: text("labelled_email"),
    passwordHash: text("password_hash"),
    role: userRole().notNull(),
    isTrial: boolean("is_trial").notNull().default(false),
    isAuthorized: boolean("is_authorized").notNull().default(true),
    /** Set on the command line, for users who cannot receive mail. */
    skipsTwoFactor: boolean("skips_two_factor").notNull().default(false),
    profileImageUrl: text("profile_image_url"),
    termsAcceptedAt: timestamp("terms_accepted_at", { withTimezone: true }),
    /** The language of mails that no request triggers: that of the last sign-in. */
    locale: text().$type<Locale>().notNull().default("pt-BR"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    uniqueIndex("users_email_key").on(sql`lower(${table.email})`),
    index("users_created_at_idx").on(table.createdAt),
  ],
);

export type UserRow = typeof users.$inferSelect;
