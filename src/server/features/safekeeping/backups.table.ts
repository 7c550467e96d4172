import { pgTable, timestamp, uuid } from "drizzle-orm/pg-core";

/** When the last backup ended: one row, or none before the first. */
export const backups = pgTable("backups", {
  id: uuid().primaryKey(),
  madeAt: timestamp("made_at", { withTimezone: true }).notNull(),
});
