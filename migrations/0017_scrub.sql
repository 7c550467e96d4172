CREATE TYPE "public"."scrub_stage" AS ENUM('studies', 'labExams');--> statement-breakpoint
CREATE TABLE "integrity_findings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"object_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"study_id" uuid,
	"lab_exam_id" uuid,
	"key" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"found" text NOT NULL,
	"found_at" timestamp with time zone NOT NULL,
	"checked_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	"healed_by" text
);
--> statement-breakpoint
CREATE TABLE "scrub_rounds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	"objects_total" integer NOT NULL,
	"bytes_total" bigint NOT NULL,
	"objects_read" integer DEFAULT 0 NOT NULL,
	"bytes_read" bigint DEFAULT 0 NOT NULL,
	"findings" integer DEFAULT 0 NOT NULL,
	"stage" "scrub_stage" DEFAULT 'studies' NOT NULL,
	"owner_id" uuid,
	"object_id" uuid,
	"moved_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "integrity_findings" ADD CONSTRAINT "integrity_findings_study_id_studies_id_fk" FOREIGN KEY ("study_id") REFERENCES "public"."studies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integrity_findings" ADD CONSTRAINT "integrity_findings_lab_exam_id_lab_exams_id_fk" FOREIGN KEY ("lab_exam_id") REFERENCES "public"."lab_exams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "integrity_findings_open_key" ON "integrity_findings" USING btree ("object_id") WHERE "integrity_findings"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "integrity_findings_study_id_idx" ON "integrity_findings" USING btree ("study_id");--> statement-breakpoint
CREATE INDEX "integrity_findings_lab_exam_id_idx" ON "integrity_findings" USING btree ("lab_exam_id");--> statement-breakpoint
CREATE INDEX "integrity_findings_found_at_idx" ON "integrity_findings" USING btree ("found_at");--> statement-breakpoint
CREATE INDEX "scrub_rounds_started_at_idx" ON "scrub_rounds" USING btree ("started_at");