import { boolean, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { bytea } from "../../db/bytea.ts";
import { series } from "../studies/studies.table.ts";

/**
 * A small picture of each series. In the database and not in the archive store, because it is one or two
 * kilobytes that the list asks for by the dozen, and so that it goes when its series goes.
 */
export const seriesThumbnails = pgTable("series_thumbnails", {
  seriesId: uuid("series_id")
    .primaryKey()
    .references(() => series.id, { onDelete: "cascade" }),
  /** The manifest it was made from: with another in force it is made anew. */
  manifestId: uuid("manifest_id").notNull(),
  /** Null where there is none to be made. */
  image: bytea(),
  contentType: text("content_type"),
  madeAt: timestamp("made_at", { withTimezone: true }).notNull(),
  /** There are pixels, but no picture came of them. */
  failed: boolean().notNull(),
  /** How often its making was begun, while it is not done: a process that dies of it leaves this behind. Null: done. */
  attempts: integer(),
});
