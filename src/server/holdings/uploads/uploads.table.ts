import { index, pgEnum, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

export const uploadState = pgEnum("upload_state", ["receiving", "committed", "failed"]);

/**
 * An upload, recorded before its first byte. Its bytes are in the staging area of `nodeId` under `id` and, if answers wait for the
 * store, under the same keys there. The sweeper removes the bytes of an upload that is neither committed nor under way; `bootId`
 * identifies the run of the node that received it.
 */
export const uploads = pgTable(
  "uploads",
  {
    id: uuid().primaryKey(),
    /** Not a reference, since the row must outlive a deleted account until its bytes are swept. */
    accountId: uuid("account_id").notNull(),
    nodeId: text("node_id").notNull(),
    bootId: text("boot_id").notNull(),
    state: uploadState().notNull(),
    startedAt: timestamp("started_at", { withTimezone: true }).notNull(),
    finishedAt: timestamp("finished_at", { withTimezone: true }),
    /** When the node found the bytes of its failed upload removed, on its disk and in the store; null while they may exist. */
    bytesRemovedAt: timestamp("bytes_removed_at", { withTimezone: true }),
  },
  (table) => [index("uploads_node_state_idx").on(table.nodeId, table.state)],
);
