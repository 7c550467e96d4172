import { index, pgEnum, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

export const uploadState = pgEnum("upload_state", ["receiving", "committed", "failed"]);

/**
 * An upload, recorded before its first byte. Its bytes lie in the staging area of `nodeId` under `id`
 * (and, where answers wait for the store, under the same keys there); the sweeper removes what an upload
 * names that is neither committed nor alive (`bootId` tells the run of the node that received it).
 */
export const uploads = pgTable(
  "uploads",
  {
    id: uuid().primaryKey(),
    /** No reference: the row must outlive a deleted account until its bytes are swept. */
    accountId: uuid("account_id").notNull(),
    nodeId: text("node_id").notNull(),
    bootId: text("boot_id").notNull(),
    state: uploadState().notNull(),
    startedAt: timestamp("started_at", { withTimezone: true }).notNull(),
    finishedAt: timestamp("finished_at", { withTimezone: true }),
    /** When its own node saw the bytes of a failed upload gone, here and in the store; null: they may still be there. */
    bytesRemovedAt: timestamp("bytes_removed_at", { withTimezone: true }),
  },
  (table) => [index("uploads_node_state_idx").on(table.nodeId, table.state)],
);
