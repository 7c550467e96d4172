import { bigint, index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/**
 * The lossless HTJ2K copy of each series, or that it has none. It is no stored object: it counts for nobody, no backup has it, and
 * it may be deleted and made again. Its rows reference nothing, so that what deletes a study or replaces a manifest can't lose the
 * key of bytes that are still to be deleted.
 */
export const derivatives = pgTable(
  "derivatives",
  {
    /** The manifest that it was made from. */
    manifestId: uuid("manifest_id").primaryKey(),
    studyId: uuid("study_id").notNull(),
    /** The number of attempts while it is not settled; it survives a process that an attempt ended. Null when settled. */
    attempts: integer(),
    /** Null if the series has no copy; then the next three are null too. */
    key: text().unique(),
    sizeBytes: bigint("size_bytes", { mode: "number" }),
    /** Where the index begins, which ends the object. */
    indexOffset: bigint("index_offset", { mode: "number" }),
    /** Hex SHA-256 of the index. */
    indexSha256: text("index_sha256"),
    triedAt: timestamp("tried_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("derivatives_study_id_idx").on(table.studyId)],
);
