import { bigint, index, jsonb, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/**
 * Who did what, to which study, when and from where. Rows outlive users and studies, so there are no references. A trigger
 * makes the table append-only, with three exceptions: `details` and `studyInstanceUID` of a deleted account may become null;
 * the `address` of a deleted account may become null after six months; rows that concern no existing account may be deleted
 * after six months (a visitor's) or five years.
 */
export const auditEvents = pgTable(
  "audit_events",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true }).notNull(),
    /** Who acted; null for a visitor or the system itself. */
    actorId: uuid("actor_id"),
    action: text().notNull(),
    /** The account the act concerns: the study's owner, the user changed. */
    accountId: uuid("account_id"),
    studyId: uuid("study_id"),
    studyInstanceUID: text("study_instance_uid"),
    address: text(),
    requestId: text("request_id"),
    details: jsonb(),
  },
  (table) => [
    index("audit_events_study_id_idx").on(table.studyId, table.id),
    index("audit_events_account_id_idx").on(table.accountId, table.id),
    index("audit_events_actor_id_idx").on(table.actorId, table.id),
    index("audit_events_at_idx").on(table.at),
  ],
);
