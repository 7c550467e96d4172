import { bigint, index, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** One row for each budget that a mail of the last hour used. Older rows no longer count and are swept. */
export const mailLedger = pgTable(
  "mail_ledger",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** Hash of the budget's name. */
    budget: text().notNull(),
    at: timestamp({ withTimezone: true }).notNull(),
  },
  (table) => [
    index("mail_ledger_budget_at_idx").on(table.budget, table.at),
    index("mail_ledger_at_idx").on(table.at),
  ],
);
