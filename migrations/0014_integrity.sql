CREATE TYPE "public"."integrity" AS ENUM('unchecked', 'ok', 'damaged', 'missing');--> statement-breakpoint
CREATE TABLE "object_sums" (
	"object_id" uuid PRIMARY KEY NOT NULL,
	"crc32s" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "lab_exams" ADD COLUMN "integrity" "integrity" DEFAULT 'unchecked' NOT NULL;--> statement-breakpoint
ALTER TABLE "studies" ADD COLUMN "integrity" "integrity" DEFAULT 'unchecked' NOT NULL;--> statement-breakpoint
ALTER TABLE "studies" ADD COLUMN "verified_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "object_sums" ADD CONSTRAINT "object_sums_object_id_stored_objects_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."stored_objects"("id") ON DELETE cascade ON UPDATE no action;