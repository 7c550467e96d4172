ALTER TABLE "series" ADD COLUMN "attributes" jsonb;--> statement-breakpoint
ALTER TABLE "studies" ADD COLUMN "attributes" jsonb;--> statement-breakpoint
CREATE INDEX "series_uid_idx" ON "series" USING btree ("series_instance_uid");--> statement-breakpoint
CREATE INDEX "studies_overridden_idx" ON "studies" USING btree ("account_id") WHERE "studies"."instance_values" is not null;