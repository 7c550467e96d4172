ALTER TABLE "users" ADD COLUMN "labelled_email" text;--> statement-breakpoint
ALTER TABLE "studies" ADD COLUMN "labelled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "studies_unlabelled_idx" ON "studies" USING btree ("id") WHERE not "studies"."labelled";