CREATE TABLE "derivatives" (
	"manifest_id" uuid PRIMARY KEY NOT NULL,
	"study_id" uuid NOT NULL,
	"attempts" integer,
	"key" text,
	"size_bytes" bigint,
	"index_offset" bigint,
	"index_sha256" text,
	"tried_at" timestamp with time zone NOT NULL,
	CONSTRAINT "derivatives_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE INDEX "derivatives_study_id_idx" ON "derivatives" USING btree ("study_id");