import { sql } from "drizzle-orm";
import { bigint, date, index, pgTable, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { keyOf } from "../../db/key-of.ts";
import { integrity } from "../../holdings/objects/stored-objects.table.ts";
import { users } from "../accounts/users/users.table.ts";

/** A laboratory PDF; its bytes are in the archive store under `key`. */
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
    /** What the last read of its bytes found, as for a study. */
    integrity: integrity().notNull().default("unchecked"),
    /** Set while a cancelled account's exam waits to be purged: nobody sees it, and an undo brings it back. */
    removalId: uuid("removal_id").references(() => keyOf("removals")),
    /** By which its sender may ask again after a lost answer; null if they gave none. */
    idempotencyKey: text("idempotency_key"),
  },
  (table) => [
    index("lab_exams_account_idx").on(table.accountId, table.createdAt),
    uniqueIndex("lab_exams_idempotency_key")
      .on(table.accountId, table.idempotencyKey)
      .where(sql`${table.idempotencyKey} is not null`),
    index("lab_exams_removal_id_idx").on(table.removalId).where(sql`${table.removalId} is not null`),
  ],
);
