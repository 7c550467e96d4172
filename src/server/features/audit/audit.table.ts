import { bigint, index, jsonb, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/**
 * Append-only, by a trigger on it: who did what, to which study, when, from where. Outlives users and studies, hence no
 * references. The trigger lets only this through: of an account that is gone, `details` and `studyInstanceUID` may become
 * null; of who is gone, `address` after six months; and rows without anyone who still has an account go after six months
 * (a visitor's) or five years.
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
