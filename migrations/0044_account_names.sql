CREATE EXTENSION IF NOT EXISTS btree_gin;--> statement-breakpoint
-- First, for it takes the lock of the table that no other goes beside: with less at first, it and an upload's end wait for each other.
DROP INDEX "studies_patient_name_trgm_idx";--> statement-breakpoint
CREATE INDEX "studies_account_name_trgm_idx" ON "studies" USING gin ("account_id","patient_name_folded" gin_trgm_ops) WITH (gin_pending_list_limit=256);
