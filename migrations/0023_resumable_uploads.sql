CREATE TYPE "public"."resumable_state" AS ENUM('receiving', 'processing', 'done', 'failed', 'ended');--> statement-breakpoint
CREATE TABLE "resumable_parts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"upload_id" uuid NOT NULL,
	"offset" bigint NOT NULL,
	"size_bytes" bigint NOT NULL,
	"sha256" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "resumable_uploads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"delivery_id" uuid,
	"received_from" text,
	"filename" text NOT NULL,
	"form" jsonb NOT NULL,
	"metadata" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"received_bytes" bigint NOT NULL,
	"state" "resumable_state" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"held_by" text,
	"held_until" timestamp with time zone,
	"address" text,
	"result" jsonb,
	"problem" jsonb,
	"ended_at" timestamp with time zone,
	"bytes_removed_at" timestamp with time zone,
	CONSTRAINT "resumable_uploads_offset" CHECK ("resumable_uploads"."received_bytes" between 0 and "resumable_uploads"."size_bytes")
);
--> statement-breakpoint
ALTER TABLE "resumable_parts" ADD CONSTRAINT "resumable_parts_upload_id_resumable_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."resumable_uploads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "resumable_parts_upload_idx" ON "resumable_parts" USING btree ("upload_id","offset");--> statement-breakpoint
CREATE INDEX "resumable_uploads_account_idx" ON "resumable_uploads" USING btree ("account_id","state");--> statement-breakpoint
CREATE INDEX "resumable_uploads_expires_idx" ON "resumable_uploads" USING btree ("expires_at");