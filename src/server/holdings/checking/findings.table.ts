import { sql } from "drizzle-orm";
import { bigint, index, pgTable, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { keyOf } from "../../db/key-of.ts";
import type { KeptObject } from "../objects/kept-object.ts";
import type { Damage } from "./integrity.ts";

/**
 * How a finding ended: the bytes read as stored again, another copy replaced them, the exam was sent again, or what it was about
 * was removed.
 */
export type Healing = "reread" | "copy" | "upload" | "removed";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** Objects whose bytes were found changed or missing, with what became of them; deleted with their exam. */
export const integrityFindings = pgTable(
  "integrity_findings",
  {
    id: uuid().primaryKey(),
    /** No reference, since a healed finding outlives an object that an upload replaced. */
    objectId: uuid("object_id").notNull(),
    kind: text().$type<KeptObject["kind"]>().notNull(),
    /** Null for a laboratory PDF. */
    studyId: uuid("study_id").references(() => keyOf("studies"), { onDelete: "cascade" }),
    labExamId: uuid("lab_exam_id").references(() => keyOf("lab_exams"), { onDelete: "cascade" }),
    key: text().notNull(),
    sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
    found: text().$type<Damage>().notNull(),
    foundAt: moment("found_at").notNull(),
    /** When a read last found the same. */
    checkedAt: moment("checked_at").notNull(),
    /** Null while it is open. */
    closedAt: moment("closed_at"),
    healedBy: text("healed_by").$type<Healing>(),
  },
  (table) => [
    uniqueIndex("integrity_findings_open_key").on(table.objectId).where(sql`${table.closedAt} is null`),
    index("integrity_findings_study_id_idx").on(table.studyId),
    index("integrity_findings_lab_exam_id_idx").on(table.labExamId),
    index("integrity_findings_found_at_idx").on(table.foundAt),
  ],
);

export type FindingRow = typeof integrityFindings.$inferSelect;
