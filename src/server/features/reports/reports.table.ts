import { index, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { studies } from "../studies/studies.table.ts";

/** The laudo of a study: one PDF, kept among the study's stored objects. */
export const reports = pgTable(
  "reports",
  {
    studyId: uuid("study_id")
      .primaryKey()
      .references(() => studies.id, { onDelete: "cascade" }),
    objectId: uuid("object_id")
      .notNull()
      .references(() => storedObjects.id, { onDelete: "cascade" }),
    /** The account that uploaded the report and so may delete it. Not a reference, since the report may outlive the account. */
    uploadedBy: uuid("uploaded_by").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** By which its sender may ask again after a lost answer; null if they gave none. */
    idempotencyKey: text("idempotency_key"),
  },
  // The deletion of an object looks for its report.
  (table) => [index("reports_object_id_idx").on(table.objectId)],
);
