CREATE TABLE "backups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"made_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "seen_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "report_asked_at" timestamp with time zone;--> statement-breakpoint
-- What was opened before these columns were is not new.
UPDATE "grants" SET "seen_at" = (
	SELECT max("at") FROM "audit_events"
	WHERE "audit_events"."study_id" = "grants"."study_id" AND "audit_events"."actor_id" = "grants"."user_id"
		AND "audit_events"."action" IN ('study.opened', 'report.opened')
);
