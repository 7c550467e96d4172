CREATE TABLE "study_tallies" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"modality" text NOT NULL,
	"studies" integer NOT NULL
);
--> statement-breakpoint
DROP INDEX "studies_account_newest_idx";--> statement-breakpoint
DROP INDEX "studies_newest_idx";--> statement-breakpoint
CREATE INDEX "study_tallies_account_idx" ON "study_tallies" USING btree ("account_id");--> statement-breakpoint
-- An entry of an index holds 2.7 kB at most, and an update would leave the long values behind for the indexes to trip over:
-- the table is written anew, where there are such values at all.
DO $$ BEGIN
	IF EXISTS (
		SELECT FROM "studies"
		WHERE length("patient_name_folded") > 512 OR length("description_folded") > 512 OR length("modality") > 512
	) THEN
		ALTER TABLE "studies"
			ALTER COLUMN "patient_name_folded" TYPE text USING left("patient_name_folded", 512),
			ALTER COLUMN "description_folded" TYPE text USING left("description_folded", 512),
			ALTER COLUMN "modality" TYPE text USING left("modality", 512);
	END IF;
END $$;--> statement-breakpoint
CREATE INDEX "studies_account_date_idx" ON "studies" USING btree ("account_id","study_date" DESC NULLS LAST,"study_time" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_date_idx" ON "studies" USING btree ("study_date" DESC NULLS LAST,"study_time" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_account_patient_name_idx" ON "studies" USING btree ("account_id","patient_name_folded" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_patient_name_idx" ON "studies" USING btree ("patient_name_folded" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_account_description_idx" ON "studies" USING btree ("account_id","description_folded" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_description_idx" ON "studies" USING btree ("description_folded" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_account_modality_idx" ON "studies" USING btree ("account_id","modality" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_modality_idx" ON "studies" USING btree ("modality" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_account_instances_idx" ON "studies" USING btree ("account_id","instance_count" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_instances_idx" ON "studies" USING btree ("instance_count" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_account_series_idx" ON "studies" USING btree ("account_id","series_count" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_series_idx" ON "studies" USING btree ("series_count" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_account_created_idx" ON "studies" USING btree ("account_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_created_idx" ON "studies" USING btree ("created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "studies"."removal_id" is null;--> statement-breakpoint
CREATE INDEX "studies_account_idx" ON "studies" USING btree ("account_id");--> statement-breakpoint
-- Puts one row in the place of those that the account has for a modality. Those that another transaction is replacing at
-- the moment stay beside it, so that nobody waits. An account that is being deleted gets none.
CREATE FUNCTION "add_study_tally"("account" uuid, "kind" text, "change" bigint) RETURNS void LANGUAGE sql AS $$
	WITH "folded" AS (
		DELETE FROM "study_tallies" WHERE "id" IN (
			SELECT "id" FROM "study_tallies" WHERE "account_id" = "account" AND "modality" = "kind" FOR UPDATE SKIP LOCKED
		) RETURNING "studies"
	)
	INSERT INTO "study_tallies" ("id", "account_id", "modality", "studies")
	SELECT gen_random_uuid(), "account", "kind", "change" + coalesce(sum("studies"), 0) FROM "folded"
	HAVING EXISTS (SELECT FROM "users" WHERE "users"."id" = "account")
$$;--> statement-breakpoint
CREATE FUNCTION "tally_added_studies"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_study_tally"("account_id", "kind", "change") FROM (
		SELECT "account_id", coalesce("modality", '') AS "kind", count(*) AS "change" FROM "added"
		WHERE "removal_id" IS NULL GROUP BY 1, 2
	) AS "tally";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "tally_removed_studies"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_study_tally"("account_id", "kind", "change") FROM (
		SELECT "account_id", coalesce("modality", '') AS "kind", -count(*) AS "change" FROM "removed"
		WHERE "removal_id" IS NULL GROUP BY 1, 2
	) AS "tally";
	RETURN NULL;
END $$;--> statement-breakpoint
-- Only what a filter of the list looks at counts as a change, and nothing that leaves as many studies on either side of it.
CREATE FUNCTION "tally_changed_studies"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_study_tally"("account_id", "kind", "change") FROM (
		SELECT "account_id", coalesce("modality", '') AS "kind", sum("change")::bigint AS "change" FROM (
			SELECT "account_id", "modality", sum("step") AS "change" FROM (
				SELECT -1 AS "step", "account_id", "modality", "study_date", "patient_name_folded", "patient_id_folded",
					"accession_number_folded", "description_folded" FROM "removed" WHERE "removal_id" IS NULL
				UNION ALL
				SELECT 1, "account_id", "modality", "study_date", "patient_name_folded", "patient_id_folded",
					"accession_number_folded", "description_folded" FROM "added" WHERE "removal_id" IS NULL
			) AS "versions"
			GROUP BY "account_id", "modality", "study_date", "patient_name_folded", "patient_id_folded",
				"accession_number_folded", "description_folded"
			HAVING sum("step") <> 0
		) AS "changes" GROUP BY 1, 2
	) AS "tally";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "studies_tally_added" AFTER INSERT ON "studies"
	REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "tally_added_studies"();--> statement-breakpoint
CREATE TRIGGER "studies_tally_removed" AFTER DELETE ON "studies"
	REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "tally_removed_studies"();--> statement-breakpoint
CREATE TRIGGER "studies_tally_changed" AFTER UPDATE ON "studies"
	REFERENCING OLD TABLE AS "removed" NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "tally_changed_studies"();--> statement-breakpoint
INSERT INTO "study_tallies" ("id", "account_id", "modality", "studies")
	SELECT gen_random_uuid(), "account_id", coalesce("modality", ''), count(*) FROM "studies"
	WHERE "removal_id" IS NULL GROUP BY 2, 3;--> statement-breakpoint
-- Counting reads the indexes alone where a page of the table is known to hold nothing new: vacuum says so, and more often than
-- after a fifth of all rows.
ALTER TABLE "studies" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
