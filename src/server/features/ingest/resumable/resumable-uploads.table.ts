import { sql } from "drizzle-orm";
import { bigint, check, index, jsonb, pgEnum, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** `ended`: dismissed or expired; only its bytes may still have to be removed. */
export const resumableState = pgEnum("resumable_state", [
  "receiving",
  "processing",
  "done",
  "failed",
  "ended",
]);

const moment = (name: string) => timestamp(name, { withTimezone: true });

/**
 * An upload that arrives in pieces. Recorded before its first byte. Its bytes are one file of a node's disk, or objects of an S3 store,
 * under its id. What it brings becomes an upload of its own once all of it arrived.
 */
export const resumableUploads = pgTable(
  "resumable_uploads",
  {
    id: uuid().primaryKey(),
    /** The account that keeps what it brings. Not a reference, since the row outlives a deleted account until its bytes are removed. */
    accountId: uuid("account_id").notNull(),
    /** Set if somebody without an account sends it. */
    deliveryId: uuid("delivery_id"),
    /** Set if a DICOM sender brings it over DIMSE: it grows by instances that were acknowledged, and is never given up. */
    receiverId: uuid("receiver_id"),
    /** Who sends it, as the owner reads it; null for the owner. */
    receivedFrom: text("received_from"),
    filename: text().notNull(),
    /** The form's values. */
    form: jsonb().notNull(),
    /** `Upload-Metadata` as it was sent. */
    metadata: text().notNull(),
    sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
    /** Bytes on stable storage: the offset. */
    receivedBytes: bigint("received_bytes", { mode: "number" }).notNull(),
    state: resumableState().notNull(),
    createdAt: moment("created_at").notNull(),
    /** A week after its last byte. */
    expiresAt: moment("expires_at").notNull(),
    /** Who writes to it now: a request while it is received, then a run of the job. */
    heldBy: text("held_by"),
    /** Until when a request holds it; by the database's clock. */
    heldUntil: moment("held_until"),
    /** From where its last bytes came. */
    address: text(),
    /** What was stored, as `POST /api/upload-dicom` answers it. */
    result: jsonb(),
    /** Why nothing was stored. */
    problem: jsonb(),
    endedAt: moment("ended_at"),
    /** When its bytes were found removed; null while some may exist. */
    bytesRemovedAt: moment("bytes_removed_at"),
  },
  (table) => [
    index("resumable_uploads_account_idx").on(table.accountId, table.state),
    index("resumable_uploads_expires_idx").on(table.expiresAt),
    check("resumable_uploads_offset", sql`${table.receivedBytes} between 0 and ${table.sizeBytes}`),
  ],
);

/** The objects of an S3 store that hold an upload's bytes, in the order of their offsets. */
export const resumableParts = pgTable(
  "resumable_parts",
  {
    id: uuid().primaryKey(),
    uploadId: uuid("upload_id")
      .notNull()
      .references(() => resumableUploads.id, { onDelete: "cascade" }),
    offset: bigint({ mode: "number" }).notNull(),
    sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
    sha256: text().notNull(),
  },
  (table) => [index("resumable_parts_upload_idx").on(table.uploadId, table.offset)],
);

export type ResumableUpload = typeof resumableUploads.$inferSelect;
export type ResumablePart = typeof resumableParts.$inferSelect;

/** Whose uploads a caller sees: those of an account, or those of one delivery to it. */
export interface UploadScope {
  accountId: string;
  deliveryId: string | null;
}
