ALTER TABLE "nodes" ADD COLUMN "version" text;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "disk_free_bytes" bigint;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "disk_size_bytes" bigint;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "disk_told_at" timestamp with time zone;