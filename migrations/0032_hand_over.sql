CREATE TABLE "deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"request_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"sender" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"uploads" integer DEFAULT 0 NOT NULL,
	"received_at" timestamp with time zone,
	"study_ids" uuid[] DEFAULT '{}' NOT NULL,
	"volume_ids" uuid[] DEFAULT '{}' NOT NULL,
	"images" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "deliveries_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "delivery_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"secret_hash" text NOT NULL,
	"label" text NOT NULL,
	"shown_name" text NOT NULL,
	"uses" integer NOT NULL,
	"used" integer DEFAULT 0 NOT NULL,
	"opened_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "delivery_requests_secret_hash_unique" UNIQUE("secret_hash")
);
--> statement-breakpoint
ALTER TABLE "studies" ADD COLUMN "received_from" text;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_request_id_delivery_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."delivery_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_requests" ADD CONSTRAINT "delivery_requests_account_id_users_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_request_id_idx" ON "deliveries" USING btree ("request_id","id");--> statement-breakpoint
CREATE INDEX "delivery_requests_account_id_idx" ON "delivery_requests" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "delivery_requests_over_at_idx" ON "delivery_requests" USING btree (least("expires_at", "ended_at"));