CREATE TABLE "receipt_keys" (
	"kid" text PRIMARY KEY NOT NULL,
	"x" text NOT NULL,
	"sealed_private_key" text,
	"created_at" timestamp with time zone NOT NULL,
	"retired_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "receipts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"study_id" uuid NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	"received_from" text,
	"root" text NOT NULL,
	"instance_count" integer NOT NULL,
	"size_bytes" bigint NOT NULL,
	"payload" "bytea" NOT NULL,
	"detached_jws" text NOT NULL,
	"digest_jws" text NOT NULL,
	"made_of" text NOT NULL,
	"volume_ids" uuid[] NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "receipts" ADD CONSTRAINT "receipts_study_id_studies_id_fk" FOREIGN KEY ("study_id") REFERENCES "public"."studies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "receipts_study_root_key" ON "receipts" USING btree ("study_id","root");--> statement-breakpoint
CREATE INDEX "receipts_study_id_idx" ON "receipts" USING btree ("study_id","id");