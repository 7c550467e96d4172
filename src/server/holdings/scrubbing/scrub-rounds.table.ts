import { bigint, index, integer, pgEnum, pgTable, timestamp, uuid } from "drizzle-orm/pg-core";

/** What a round reads first and then: the objects of studies, then laboratory PDFs. */
export const scrubStage = pgEnum("scrub_stage", ["studies", "labExams"]);

const moment = (name: string) => timestamp(name, { withTimezone: true });
const amount = (name: string) => bigint(name, { mode: "number" });

/** Rounds in which every object is read once, and how far each came. At most one is unfinished. */
export const scrubRounds = pgTable(
  "scrub_rounds",
  {
    id: uuid().primaryKey(),
    startedAt: moment("started_at").notNull(),
    /** Null while it runs. */
    finishedAt: moment("finished_at"),
    /** What there was to read when the round began. */
    objectsTotal: integer("objects_total").notNull(),
    bytesTotal: amount("bytes_total").notNull(),
    objectsRead: integer("objects_read").notNull().default(0),
    bytesRead: amount("bytes_read").notNull().default(0),
    /** How many of the objects read were damaged or missing. */
    findings: integer().notNull().default(0),
    stage: scrubStage().notNull().default("studies"),
    /** The exam and the object read last in this stage; the order of a round is by exam, then by object. */
    ownerId: uuid("owner_id"),
    objectId: uuid("object_id"),
    /** When the round last moved on. */
    movedAt: moment("moved_at").notNull(),
  },
  (table) => [index("scrub_rounds_started_at_idx").on(table.startedAt)],
);

export type ScrubRound = typeof scrubRounds.$inferSelect;
