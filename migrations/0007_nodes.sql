CREATE TABLE "nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"boot_id" text,
	"started_at" timestamp with time zone NOT NULL,
	"steady_since" timestamp with time zone NOT NULL,
	"last_beat_at" timestamp with time zone NOT NULL,
	"swept_at" timestamp with time zone,
	"platform" text
);
--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "bytes_removed_at" timestamp with time zone;