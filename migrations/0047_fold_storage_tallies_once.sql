-- The bytes of an account are tallied once for each statement, however many exams it hides, brings back or deletes. Once for each exam,
-- every tally walked the dead rows of those before it in the same transaction: minutes for an account with 20,000 exams.
-- None of these queries joins the two versions of the rows: a kept plan for few rows would compare each with each.
CREATE FUNCTION "tally_moved_studies"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_storage_tally"("account_id", "change") FROM (
		SELECT "account_id", sum("step" * (
			SELECT coalesce(sum("size_bytes"), 0) FROM "stored_objects" WHERE "study_id" = "moved"."id"
		))::bigint AS "change" FROM (
			SELECT "account_id", "id", sum("step") AS "step" FROM (
				SELECT -1 AS "step", "account_id", "id" FROM "removed" WHERE "removal_id" IS NULL
				UNION ALL
				SELECT 1, "account_id", "id" FROM "added" WHERE "removal_id" IS NULL
			) AS "versions" GROUP BY 1, 2 HAVING sum("step") <> 0
		) AS "moved" GROUP BY 1
	) AS "tally" WHERE "change" <> 0;
	RETURN NULL;
END $$;--> statement-breakpoint
-- Before a study goes, since its objects go with it.
CREATE FUNCTION "note_objects_of_study"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "storage_tallies" ("id", "account_id", "bytes")
	SELECT gen_random_uuid(), OLD."account_id", -sum("size_bytes") FROM "stored_objects" WHERE "study_id" = OLD."id"
	HAVING sum("size_bytes") <> 0 AND EXISTS (SELECT FROM "users" WHERE "users"."id" = OLD."account_id");
	RETURN OLD;
END $$;--> statement-breakpoint
CREATE FUNCTION "fold_storage_tallies"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_storage_tally"("account_id", 0) FROM (
		SELECT DISTINCT "account_id" FROM "removed" WHERE "removal_id" IS NULL
	) AS "accounts";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "tally_lab_exams"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		PERFORM "add_storage_tally"("account_id", "change") FROM (
			SELECT "account_id", sum("size_bytes")::bigint AS "change" FROM "added" WHERE "removal_id" IS NULL GROUP BY 1
		) AS "tally";
	ELSIF TG_OP = 'DELETE' THEN
		PERFORM "add_storage_tally"("account_id", "change") FROM (
			SELECT "account_id", -sum("size_bytes")::bigint AS "change" FROM "removed" WHERE "removal_id" IS NULL GROUP BY 1
		) AS "tally";
	ELSE
		PERFORM "add_storage_tally"("account_id", "change") FROM (
			SELECT "account_id", sum("bytes")::bigint AS "change" FROM (
				SELECT "account_id", -"size_bytes" AS "bytes" FROM "removed" WHERE "removal_id" IS NULL
				UNION ALL
				SELECT "account_id", "size_bytes" FROM "added" WHERE "removal_id" IS NULL
			) AS "versions" GROUP BY 1
		) AS "tally" WHERE "change" <> 0;
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
DROP TRIGGER "studies_tally_storage_moved" ON "studies";--> statement-breakpoint
CREATE TRIGGER "studies_tally_storage_moved" AFTER UPDATE ON "studies"
	REFERENCING OLD TABLE AS "removed" NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "tally_moved_studies"();--> statement-breakpoint
DROP TRIGGER "studies_tally_storage_deleted" ON "studies";--> statement-breakpoint
CREATE TRIGGER "studies_tally_storage_deleted" BEFORE DELETE ON "studies"
	FOR EACH ROW WHEN (OLD."removal_id" IS NULL) EXECUTE FUNCTION "note_objects_of_study"();--> statement-breakpoint
CREATE TRIGGER "studies_tally_storage_folded" AFTER DELETE ON "studies"
	REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "fold_storage_tallies"();--> statement-breakpoint
DROP TRIGGER "lab_exams_tally_storage" ON "lab_exams";--> statement-breakpoint
CREATE TRIGGER "lab_exams_tally_added" AFTER INSERT ON "lab_exams"
	REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "tally_lab_exams"();--> statement-breakpoint
CREATE TRIGGER "lab_exams_tally_changed" AFTER UPDATE ON "lab_exams"
	REFERENCING OLD TABLE AS "removed" NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "tally_lab_exams"();--> statement-breakpoint
CREATE TRIGGER "lab_exams_tally_removed" AFTER DELETE ON "lab_exams"
	REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "tally_lab_exams"();--> statement-breakpoint
DROP FUNCTION "tally_objects_of_study"();--> statement-breakpoint
DROP FUNCTION "tally_lab_exam"();
