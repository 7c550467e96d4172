import { bigint, index, jsonb, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** Append-only: who did what, to which study, when, from where. Outlives users and studies, hence no references. */
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
  ],
);
