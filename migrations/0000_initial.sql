CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
CREATE TYPE "public"."upload_state" AS ENUM('receiving', 'committed', 'failed');--> statement-breakpoint
CREATE TYPE "public"."object_location" AS ENUM('staging', 'archive');--> statement-breakpoint
CREATE TYPE "public"."storage_status" AS ENUM('local', 'transferring', 'b2', 'error');--> statement-breakpoint
CREATE TYPE "public"."stored_object_kind" AS ENUM('volume', 'manifest');--> statement-breakpoint
CREATE TYPE "public"."subscription_status" AS ENUM('active', 'pending');--> statement-breakpoint
CREATE TYPE "public"."usage_action" AS ENUM('upload', 'download', 'delete');--> statement-breakpoint
CREATE TYPE "public"."user_role" AS ENUM('admin', 'user', 'doctor', 'lab');--> statement-breakpoint
CREATE TABLE "audit_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"actor_id" uuid,
	"action" text NOT NULL,
	"account_id" uuid,
	"study_id" uuid,
	"study_instance_uid" text,
	"address" text,
	"request_id" text,
	"details" jsonb
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "throttles" (
	"name" text NOT NULL,
	"key" text NOT NULL,
	"window_ends_at" timestamp with time zone NOT NULL,
	"failures" integer NOT NULL,
	CONSTRAINT "throttles_name_key_pk" PRIMARY KEY("name","key")
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"node_id" text NOT NULL,
	"boot_id" text NOT NULL,
	"state" "upload_state" NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "downloads" (
	"user_id" uuid NOT NULL,
	"study_id" uuid NOT NULL,
	"etag" text NOT NULL,
	"charged_at" timestamp with time zone NOT NULL,
	CONSTRAINT "downloads_user_id_study_id_pk" PRIMARY KEY("user_id","study_id")
);
--> statement-breakpoint
CREATE TABLE "grants" (
	"study_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"granted_by" uuid,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "grants_study_id_user_id_pk" PRIMARY KEY("study_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "series" (
	"id" uuid PRIMARY KEY NOT NULL,
	"study_id" uuid NOT NULL,
	"series_instance_uid" text NOT NULL,
	"series_number" integer,
	"description" text,
	"modality" text,
	"instance_count" integer NOT NULL,
	"manifest_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stored_objects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"study_id" uuid NOT NULL,
	"upload_id" uuid NOT NULL,
	"kind" "stored_object_kind" NOT NULL,
	"key" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"location" "object_location" NOT NULL,
	"staged_on" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "stored_objects_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "studies" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"study_instance_uid" text NOT NULL,
	"patient_name" text,
	"patient_id" text,
	"patient_birth_date" date,
	"patient_sex" text,
	"accession_number" text,
	"description" text,
	"study_date" date,
	"study_time" text,
	"institution_name" text,
	"modality" text,
	"series_count" integer NOT NULL,
	"instance_count" integer NOT NULL,
	"size_bytes" bigint NOT NULL,
	"storage_status" "storage_status" NOT NULL,
	"has_report" boolean DEFAULT false NOT NULL,
	"instance_values" jsonb,
	"patient_name_folded" text DEFAULT '' NOT NULL,
	"patient_id_folded" text DEFAULT '' NOT NULL,
	"accession_number_folded" text DEFAULT '' NOT NULL,
	"description_folded" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"price_cents" integer NOT NULL,
	"exam_limit" integer NOT NULL,
	"download_delete_limit" integer NOT NULL,
	"is_offered" boolean NOT NULL,
	CONSTRAINT "plans_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"plan_id" uuid NOT NULL,
	"status" "subscription_status" NOT NULL,
	"start_date" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"exam_count" integer DEFAULT 0 NOT NULL,
	"lab_exam_count" integer DEFAULT 0 NOT NULL,
	"downloads" integer DEFAULT 0 NOT NULL,
	"deletes" integer DEFAULT 0 NOT NULL,
	"lab_downloads" integer DEFAULT 0 NOT NULL,
	"lab_deletes" integer DEFAULT 0 NOT NULL,
	"last_reset_date" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "usage_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" uuid NOT NULL,
	"action_type" "usage_action" NOT NULL,
	"study_instance_uid" text NOT NULL,
	"timestamp" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"cpfcnpj" text,
	"password_hash" text,
	"role" "user_role" NOT NULL,
	"is_trial" boolean DEFAULT false NOT NULL,
	"is_authorized" boolean DEFAULT true NOT NULL,
	"profile_image_url" text,
	"terms_accepted_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "downloads" ADD CONSTRAINT "downloads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "downloads" ADD CONSTRAINT "downloads_study_id_studies_id_fk" FOREIGN KEY ("study_id") REFERENCES "public"."studies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_study_id_studies_id_fk" FOREIGN KEY ("study_id") REFERENCES "public"."studies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "series" ADD CONSTRAINT "series_study_id_studies_id_fk" FOREIGN KEY ("study_id") REFERENCES "public"."studies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_objects" ADD CONSTRAINT "stored_objects_study_id_studies_id_fk" FOREIGN KEY ("study_id") REFERENCES "public"."studies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "studies" ADD CONSTRAINT "studies_account_id_users_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_events" ADD CONSTRAINT "usage_events_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_events_study_id_idx" ON "audit_events" USING btree ("study_id","id");--> statement-breakpoint
CREATE INDEX "audit_events_account_id_idx" ON "audit_events" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "sessions_user_id_idx" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "throttles_window_ends_at_idx" ON "throttles" USING btree ("window_ends_at");--> statement-breakpoint
CREATE INDEX "uploads_node_state_idx" ON "uploads" USING btree ("node_id","state");--> statement-breakpoint
CREATE INDEX "grants_user_id_idx" ON "grants" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "series_study_uid_key" ON "series" USING btree ("study_id","series_instance_uid");--> statement-breakpoint
CREATE INDEX "stored_objects_study_id_idx" ON "stored_objects" USING btree ("study_id");--> statement-breakpoint
CREATE INDEX "stored_objects_upload_id_idx" ON "stored_objects" USING btree ("upload_id");--> statement-breakpoint
CREATE INDEX "stored_objects_staged_on_idx" ON "stored_objects" USING btree ("staged_on") WHERE "stored_objects"."staged_on" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "studies_account_uid_key" ON "studies" USING btree ("account_id","study_instance_uid");--> statement-breakpoint
CREATE INDEX "studies_uid_idx" ON "studies" USING btree ("study_instance_uid");--> statement-breakpoint
CREATE INDEX "studies_account_newest_idx" ON "studies" USING btree ("account_id","study_date" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "studies_newest_idx" ON "studies" USING btree ("study_date" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "studies_patient_name_trgm_idx" ON "studies" USING gin ("patient_name_folded" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "studies_patient_id_trgm_idx" ON "studies" USING gin ("patient_id_folded" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "studies_accession_number_trgm_idx" ON "studies" USING gin ("accession_number_folded" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "studies_description_trgm_idx" ON "studies" USING gin ("description_folded" gin_trgm_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_user_id_key" ON "subscriptions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "usage_events_user_id_idx" ON "usage_events" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "users_created_at_idx" ON "users" USING btree ("created_at");