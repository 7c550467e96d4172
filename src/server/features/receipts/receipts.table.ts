import { bigint, index, integer, pgTable, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea } from "../../db/bytea.ts";
import { studies } from "../studies/studies.table.ts";

/**
 * The key that signs receipts, and its predecessors. It is a row, so that all nodes sign with the same one; the private part is
 * sealed with AUTH_SECRET. A retired key only verifies: its private part is gone.
 */
export const receiptKeys = pgTable("receipt_keys", {
  /** The key's thumbprint (RFC 7638). */
  kid: text().primaryKey(),
  /** The public part, base64url. */
  x: text().notNull(),
  sealedPrivateKey: text("sealed_private_key"),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  retiredAt: timestamp("retired_at", { withTimezone: true }),
});

/** A receipt that was given for a study. It never changes. */
export const receipts = pgTable(
  "receipts",
  {
    id: uuid().primaryKey(),
    studyId: uuid("study_id")
      .notNull()
      .references(() => studies.id, { onDelete: "cascade" }),
    receivedAt: timestamp("received_at", { withTimezone: true }).notNull(),
    receivedFrom: text("received_from"),
    root: text().notNull(),
    instanceCount: integer("instance_count").notNull(),
    sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
    /** The receipt's JSON as it was signed, as one zstd frame: some 50 bytes an instance. */
    payload: bytea().notNull(),
    /** The JWS without its payload (RFC 7515, appendix F). */
    detachedJws: text("detached_jws").notNull(),
    /** The JWS in the QR code of the paper. */
    digestJws: text("digest_jws").notNull(),
    /** The manifests of the study that it was made of, as one hash: while they are in force, the receipt is up to date. */
    madeOf: text("made_of").notNull(),
    /** The volumes that hold its instances. */
    volumeIds: uuid("volume_ids").array().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    uniqueIndex("receipts_study_root_key").on(table.studyId, table.root),
    index("receipts_study_id_idx").on(table.studyId, table.id),
  ],
);

export type ReceiptKeyRow = typeof receiptKeys.$inferSelect;
export type ReceiptRow = typeof receipts.$inferSelect;
