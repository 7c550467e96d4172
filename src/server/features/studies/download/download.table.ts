import { pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { users } from "../../accounts/users/users.table.ts";
import { studies } from "../studies.table.ts";

/** The last charged download of a study by a user: within an hour its other ranges are free. */
export const downloads = pgTable(
  "downloads",
  {
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    studyId: uuid("study_id")
      .notNull()
      .references(() => studies.id, { onDelete: "cascade" }),
    etag: text().notNull(),
    chargedAt: timestamp("charged_at", { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.studyId] })],
);
