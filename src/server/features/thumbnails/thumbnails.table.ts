import { boolean, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { bytea } from "../../db/bytea.ts";
import { series } from "../studies/studies.table.ts";

/**
 * A small picture of each series. It is in the database and not in the archive store, because it has one or two kilobytes, the list
 * requests dozens of them, and it is deleted with its series.
 */
export const seriesThumbnails = pgTable("series_thumbnails", {
  seriesId: uuid("series_id")
    .primaryKey()
    .references(() => series.id, { onDelete: "cascade" }),
  /** The manifest that the picture was made from; another one in force makes it out of date. */
  manifestId: uuid("manifest_id").notNull(),
  /** Null if the series has no picture. */
  image: bytea(),
  contentType: text("content_type"),
  /**
   * The same at 512 pixels and 20 kB at most, to stand in for the first image of the viewer. Only the study's largest series has one.
   * Empty if there is none to have; null if it was not tried.
   */
  preview: bytea(),
  madeAt: timestamp("made_at", { withTimezone: true }).notNull(),
  /** The series has pixels, but they could not be drawn. */
  failed: boolean().notNull(),
  /** The number of attempts while the picture is not done; it survives a process that an attempt ended. Null when done. */
  attempts: integer(),
  /** The `DRAWN_AS` of the release that drew it; 0 for those before 0050. That of the attempt, once the contents are others. */
  drawnAs: integer("drawn_as").notNull().default(0),
});
