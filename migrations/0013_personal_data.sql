ALTER TABLE "support_messages" ADD COLUMN "account_id" uuid;--> statement-breakpoint
ALTER TABLE "support_messages" ADD CONSTRAINT "support_messages_account_id_users_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_events_actor_id_idx" ON "audit_events" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_events_at_idx" ON "audit_events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "support_messages_account_id_idx" ON "support_messages" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "support_messages_email_idx" ON "support_messages" USING btree (lower("user_email"));
--> statement-breakpoint
CREATE FUNCTION guard_audit_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  account_is_gone boolean;
  actor_is_gone boolean;
BEGIN
  IF TG_OP <> 'TRUNCATE' THEN
    account_is_gone := NOT EXISTS (SELECT FROM public.users WHERE id = OLD.account_id);
    actor_is_gone := NOT EXISTS (SELECT FROM public.users WHERE id = OLD.actor_id);
    IF TG_OP = 'UPDATE' THEN
      IF (NEW.id, NEW.at, NEW.actor_id, NEW.action, NEW.account_id, NEW.study_id, NEW.request_id)
          IS NOT DISTINCT FROM (OLD.id, OLD.at, OLD.actor_id, OLD.action, OLD.account_id, OLD.study_id, OLD.request_id)
        AND ((NEW.study_instance_uid, NEW.details) IS NOT DISTINCT FROM (OLD.study_instance_uid, OLD.details)
          OR (OLD.account_id IS NOT NULL AND account_is_gone
            AND (NEW.study_instance_uid IS NULL OR NEW.study_instance_uid = OLD.study_instance_uid)
            AND (NEW.details IS NULL OR NEW.details = OLD.details)))
        AND (NEW.address IS NOT DISTINCT FROM OLD.address
          OR (NEW.address IS NULL AND (account_is_gone OR actor_is_gone) AND OLD.at < now() - interval '182 days'))
      THEN
        RETURN NEW;
      END IF;
    ELSIF account_is_gone AND actor_is_gone
      AND OLD.at < now() - (CASE WHEN OLD.account_id IS NULL THEN interval '182 days' ELSE interval '5 years' END)
    THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'audit_events is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE ON audit_events FOR EACH ROW EXECUTE FUNCTION guard_audit_events();
--> statement-breakpoint
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON audit_events FOR EACH STATEMENT EXECUTE FUNCTION guard_audit_events();
--> statement-breakpoint
ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_append_only;
--> statement-breakpoint
ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_no_truncate;
