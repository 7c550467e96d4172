CREATE TABLE "share_link_studies" (
	"link_id" uuid NOT NULL,
	"study_id" uuid NOT NULL,
	"place" integer NOT NULL,
	"charged_at" timestamp with time zone,
	CONSTRAINT "share_link_studies_link_id_study_id_pk" PRIMARY KEY("link_id","study_id")
);
--> statement-breakpoint
CREATE TABLE "share_link_visits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"link_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"address" text NOT NULL,
	"device" text,
	"read_report" boolean DEFAULT false NOT NULL,
	"downloaded" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "share_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"secret_hash" text NOT NULL,
	"passcode_hash" text,
	"wrong_passcodes" integer DEFAULT 0 NOT NULL,
	"recipient" text,
	"laudo" boolean NOT NULL,
	"download" boolean NOT NULL,
	"max_openings" integer,
	"openings" integer DEFAULT 0 NOT NULL,
	"last_opened_at" timestamp with time zone,
	"mailed_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"is_blocked" boolean DEFAULT false NOT NULL,
	CONSTRAINT "share_links_secret_hash_unique" UNIQUE("secret_hash")
);
--> statement-breakpoint
ALTER TABLE "share_link_studies" ADD CONSTRAINT "share_link_studies_link_id_share_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."share_links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_link_studies" ADD CONSTRAINT "share_link_studies_study_id_studies_id_fk" FOREIGN KEY ("study_id") REFERENCES "public"."studies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_link_visits" ADD CONSTRAINT "share_link_visits_link_id_share_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."share_links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_links" ADD CONSTRAINT "share_links_account_id_users_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "share_link_studies_study_id_idx" ON "share_link_studies" USING btree ("study_id");--> statement-breakpoint
CREATE INDEX "share_link_visits_link_id_idx" ON "share_link_visits" USING btree ("link_id","id");--> statement-breakpoint
CREATE INDEX "share_links_account_id_idx" ON "share_links" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "share_links_over_at_idx" ON "share_links" USING btree (least("expires_at", "ended_at"));