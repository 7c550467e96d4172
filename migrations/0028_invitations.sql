CREATE TABLE "doctor_invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"study_id" uuid NOT NULL,
	"invited_by" uuid NOT NULL,
	"email" text NOT NULL,
	"asks_for_report" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "doctor_invitations" ADD CONSTRAINT "doctor_invitations_study_id_studies_id_fk" FOREIGN KEY ("study_id") REFERENCES "public"."studies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "doctor_invitations" ADD CONSTRAINT "doctor_invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "doctor_invitations_token_key" ON "doctor_invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "doctor_invitations_study_email_key" ON "doctor_invitations" USING btree ("study_id",lower("email"));--> statement-breakpoint
CREATE INDEX "doctor_invitations_invited_by_idx" ON "doctor_invitations" USING btree ("invited_by");--> statement-breakpoint
CREATE INDEX "doctor_invitations_expires_at_idx" ON "doctor_invitations" USING btree ("expires_at");