CREATE TYPE "public"."devolucao_status" AS ENUM('EM_PROCESSAMENTO', 'DEVOLVIDO', 'NAO_REALIZADO');--> statement-breakpoint
CREATE TYPE "public"."payment_status" AS ENUM('pending', 'paid', 'failed', 'refunded');--> statement-breakpoint
CREATE TYPE "public"."pix_provider" AS ENUM('local', 'bacen');--> statement-breakpoint
CREATE TYPE "public"."removal_reason" AS ENUM('cancelled', 'lapsed');--> statement-breakpoint
CREATE TABLE "payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"plan_id" uuid NOT NULL,
	"plan_name" text NOT NULL,
	"amount_cents" integer NOT NULL,
	"period_days" integer NOT NULL,
	"provider" "pix_provider" NOT NULL,
	"txid" text NOT NULL,
	"status" "payment_status" NOT NULL,
	"br_code" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"checked_at" timestamp with time zone,
	"paid_at" timestamp with time zone,
	"end_to_end_id" text,
	"confirmed_by" uuid,
	"failure" text,
	"period_start" timestamp with time zone,
	"period_end" timestamp with time zone,
	"devolucao_id" text,
	"devolucao_status" "devolucao_status",
	"refunded_at" timestamp with time zone,
	CONSTRAINT "payments_txid_unique" UNIQUE("txid"),
	CONSTRAINT "payments_end_to_end_id_unique" UNIQUE("end_to_end_id")
);
--> statement-breakpoint
CREATE TABLE "removals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"reason" "removal_reason" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"purge_after" timestamp with time zone NOT NULL,
	"undone_at" timestamp with time zone,
	"purged_at" timestamp with time zone,
	"study_count" integer NOT NULL,
	"lab_exam_count" integer NOT NULL,
	"plan_id" uuid NOT NULL,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "subscription_notices" (
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone NOT NULL,
	CONSTRAINT "subscription_notices_user_id_kind_expires_at_pk" PRIMARY KEY("user_id","kind","expires_at")
);
--> statement-breakpoint
DROP INDEX "studies_account_uid_key";--> statement-breakpoint
ALTER TABLE "lab_exams" ADD COLUMN "removal_id" uuid;--> statement-breakpoint
ALTER TABLE "studies" ADD COLUMN "removal_id" uuid;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "locale" text DEFAULT 'pt-BR' NOT NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "removals" ADD CONSTRAINT "removals_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "removals" ADD CONSTRAINT "removals_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription_notices" ADD CONSTRAINT "subscription_notices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payments_user_id_idx" ON "payments" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "payments_open_idx" ON "payments" USING btree ("created_at") WHERE "payments"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "payments_paid_at_idx" ON "payments" USING btree ("paid_at");--> statement-breakpoint
CREATE INDEX "removals_user_id_idx" ON "removals" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "removals_purge_after_idx" ON "removals" USING btree ("purge_after");--> statement-breakpoint
ALTER TABLE "lab_exams" ADD CONSTRAINT "lab_exams_removal_id_removals_id_fk" FOREIGN KEY ("removal_id") REFERENCES "public"."removals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "studies" ADD CONSTRAINT "studies_removal_id_removals_id_fk" FOREIGN KEY ("removal_id") REFERENCES "public"."removals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "lab_exams_removal_id_idx" ON "lab_exams" USING btree ("removal_id") WHERE "lab_exams"."removal_id" is not null;--> statement-breakpoint
CREATE INDEX "studies_removal_id_idx" ON "studies" USING btree ("removal_id") WHERE "studies"."removal_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "studies_account_uid_key" ON "studies" USING btree ("account_id","study_instance_uid") WHERE "studies"."removal_id" is null;