import { index, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import type { TokenScope } from "../../../../shared/api/access-tokens.ts";
import { users } from "../users/users.table.ts";

/** Tokens with which programs act for an account; each ends with its row. */
export const accessTokens = pgTable(
  "access_tokens",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    tokenHash: text("token_hash").notNull().unique("access_tokens_token_hash_key"),
    scopes: text().array().notNull().$type<TokenScope[]>(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** Null for a token that does not expire. */
    expiresAt: timestamp("expires_at", { withTimezone: true }),
    lastUsedAt: timestamp("last_used_at", { withTimezone: true }),
  },
  (table) => [index("access_tokens_user_id_idx").on(table.userId)],
);

export type AccessTokenRow = typeof accessTokens.$inferSelect;
