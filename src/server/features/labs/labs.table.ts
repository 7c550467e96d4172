import { bigint, date, index, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { users } from "../users/users.table.ts";

/** A laboratory PDF; its bytes lie in the archive store under `key`. */
export const labExams = pgTable(
  "lab_exams",
  {
    id: uuid().primaryKey(),
    accountId: uuid("account_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    modality: text().notNull(),
    examDate: date("exam_date"),
    key: text().notNull().unique(),
    sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
    sha256: text().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("lab_exams_account_idx").on(table.accountId, table.createdAt)],
);
