import { sql } from "drizzle-orm";
import { bigint, index, pgEnum, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { bytea } from "../../db/bytea.ts";
import { keyOf } from "../../db/key-of.ts";

/**
 * The state of an exam's stored bytes: `unchecked` since arrival, `ok` when the last full read was correct, `damaged` when some
 * differ from what was stored, `missing` when an object is gone.
 */
export const integrity = pgEnum("integrity", ["unchecked", "ok", "damaged", "missing"]);

export const storedObjectKind = pgEnum("stored_object_kind", ["volume", "manifest", "report"]);
export const objectLocation = pgEnum("object_location", ["staging", "archive"]);

/** The objects of a study (volumes, manifests, report), and the store in which each is under `key`. */
export const storedObjects = pgTable(
  "stored_objects",
  {
    id: uuid().primaryKey(),
    studyId: uuid("study_id")
      .notNull()
      .references(() => keyOf("studies"), { onDelete: "cascade" }),
    /** The upload that brought it; keys begin with this id. */
    uploadId: uuid("upload_id").notNull(),
    kind: storedObjectKind().notNull(),
    key: text().notNull().unique(),
    sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
    /** Hex SHA-256 of the whole object. */
    sha256: text().notNull(),
    location: objectLocation().notNull(),
    /** The node whose staging area holds the bytes, or held them at the switch to `archive`. */
    stagedOn: text("staged_on"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("stored_objects_study_id_idx").on(table.studyId),
    index("stored_objects_upload_id_idx").on(table.uploadId),
    index("stored_objects_staged_on_idx").on(table.stagedOn).where(sql`${table.stagedOn} is not null`),
  ],
);

/**
 * The CRC-32 of each piece of a volume, made while it is written; every read is checked against them. They are not in the object's
 * row, which every frame reads. A volume of an older release has none until it is read whole.
 */
export const objectSums = pgTable("object_sums", {
  objectId: uuid("object_id")
    .primaryKey()
    .references(() => storedObjects.id, { onDelete: "cascade" }),
  /** Four bytes for each piece of 64 KiB, little-endian. */
  crc32s: bytea().notNull(),
});

export type Integrity = (typeof integrity.enumValues)[number];
export type StoredObjectRow = typeof storedObjects.$inferSelect;
