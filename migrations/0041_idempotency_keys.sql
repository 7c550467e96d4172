ALTER TABLE "lab_exams" ADD COLUMN "idempotency_key" text;--> statement-breakpoint
ALTER TABLE "reports" ADD COLUMN "idempotency_key" text;--> statement-breakpoint
CREATE UNIQUE INDEX "lab_exams_idempotency_key" ON "lab_exams" USING btree ("account_id","idempotency_key") WHERE "lab_exams"."idempotency_key" is not null;