CREATE TABLE "receivers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"ae_title" text NOT NULL,
	"calling_ae_titles" text[] NOT NULL,
	"addresses" text[] NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"instances" integer DEFAULT 0 NOT NULL,
	"received_at" timestamp with time zone,
	"received_title" text,
	"received_address" text,
	"refusals" integer DEFAULT 0 NOT NULL,
	"refused_at" timestamp with time zone,
	"refused_title" text,
	"refused_address" text,
	CONSTRAINT "receivers_ae_title_key" UNIQUE("ae_title")
);
--> statement-breakpoint
ALTER TABLE "resumable_uploads" ADD COLUMN "receiver_id" uuid;--> statement-breakpoint
ALTER TABLE "receivers" ADD CONSTRAINT "receivers_account_id_users_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "receivers_account_id_idx" ON "receivers" USING btree ("account_id");