import { bigint, boolean, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { StoreRefusal } from "../storage/object-store.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/**
 * Every node that has served on this database, one row for each DATA_DIR. All times come from the database's clock, so that
 * nodes with different clocks agree on who is alive.
 */
export const nodes = pgTable("nodes", {
  id: text().primaryKey(),
  /** Tells the runs of a node apart. Null for a node that never beat itself, because its version does not beat. */
  bootId: text("boot_id"),
  /** When that run started. */
  startedAt: moment("started_at").notNull(),
  /** Since when it has beaten without a pause. After a pause it does not judge others. */
  steadySince: moment("steady_since").notNull(),
  lastBeatAt: moment("last_beat_at").notNull(),
  /** When another node took it for dead and swept its records. Null again once it beats. */
  sweptAt: moment("swept_at"),
  /** Operating system, processor and runtime, such as `linux x64 bun 1.4.5`. */
  platform: text(),
  /** The version of the program. Null, as are the figures of its disk, for a version that does not record it. */
  version: text(),
  /** Free on the disk that holds its DATA_DIR, as of its last beat. */
  diskFreeBytes: bigint("disk_free_bytes", { mode: "number" }),
  diskSizeBytes: bigint("disk_size_bytes", { mode: "number" }),
  /** Whether the disk took bytes at all, as of its last beat; a full one does. Null for a version that does not tell. */
  diskTakesBytes: boolean("disk_takes_bytes"),
  /** Why the archive store refused what the node put last, as of its last beat; null if it did not, or the version does not tell. */
  storeRefusal: text("store_refusal").$type<StoreRefusal>(),
  /** When the admin was told that this disk is low. Null again once it has room. */
  diskToldAt: moment("disk_told_at"),
});
