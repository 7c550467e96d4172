CREATE TABLE "storage_tallies" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "storage_bytes" bigint DEFAULT 21474836480 NOT NULL;--> statement-breakpoint
CREATE INDEX "storage_tallies_account_idx" ON "storage_tallies" USING btree ("account_id");--> statement-breakpoint
UPDATE "plans" SET "storage_bytes" = 1073741824 * CASE "slug"
	WHEN 'avaliacao' THEN 2 WHEN 'cortesia' THEN 20 WHEN 'essencial' THEN 20 WHEN 'familia' THEN 100
	WHEN 'profissional' THEN 400 WHEN 'clinica' THEN 2000 ELSE greatest(20, 2 * "exam_limit"::bigint) END;--> statement-breakpoint
-- Puts one row in the place of those that the account has. Those that another transaction is replacing at the moment stay
-- beside it, so that nobody waits. Nothing kept leaves no row, and an account that is being deleted gets none.
CREATE FUNCTION "add_storage_tally"("account" uuid, "change" bigint) RETURNS void LANGUAGE sql AS $$
	WITH "folded" AS (
		DELETE FROM "storage_tallies" WHERE "id" IN (
			SELECT "id" FROM "storage_tallies" WHERE "account_id" = "account" FOR UPDATE SKIP LOCKED
		) RETURNING "bytes"
	)
	INSERT INTO "storage_tallies" ("id", "account_id", "bytes")
	SELECT gen_random_uuid(), "account", "change" + coalesce(sum("bytes"), 0) FROM "folded"
	HAVING "change" + coalesce(sum("bytes"), 0) <> 0 AND EXISTS (SELECT FROM "users" WHERE "users"."id" = "account")
$$;--> statement-breakpoint
CREATE FUNCTION "tally_added_objects"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_storage_tally"("account_id", "change") FROM (
		SELECT "studies"."account_id", sum("added"."size_bytes")::bigint AS "change"
		FROM "added" JOIN "studies" ON "studies"."id" = "added"."study_id"
		WHERE "studies"."removal_id" IS NULL GROUP BY 1
	) AS "tally" WHERE "change" <> 0;
	RETURN NULL;
END $$;--> statement-breakpoint
-- Those that go with their study were taken off before it went.
CREATE FUNCTION "tally_removed_objects"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_storage_tally"("account_id", "change") FROM (
		SELECT "studies"."account_id", -sum("removed"."size_bytes")::bigint AS "change"
		FROM "removed" JOIN "studies" ON "studies"."id" = "removed"."study_id"
		WHERE "studies"."removal_id" IS NULL GROUP BY 1
	) AS "tally" WHERE "change" <> 0;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "tally_resized_object"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_storage_tally"("account_id", NEW."size_bytes" - OLD."size_bytes")
	FROM "studies" WHERE "studies"."id" = NEW."study_id" AND "studies"."removal_id" IS NULL;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "tally_objects_of_study"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	"bytes" bigint := (SELECT coalesce(sum("size_bytes"), 0) FROM "stored_objects" WHERE "study_id" = OLD."id");
BEGIN
	PERFORM "add_storage_tally"(OLD."account_id",
		CASE WHEN TG_OP = 'UPDATE' AND NEW."removal_id" IS NULL THEN "bytes" ELSE -"bytes" END) WHERE "bytes" <> 0;
	RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;--> statement-breakpoint
CREATE FUNCTION "tally_lab_exam"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'INSERT' AND OLD."removal_id" IS NULL THEN
		PERFORM "add_storage_tally"(OLD."account_id", -OLD."size_bytes");
	END IF;
	IF TG_OP <> 'DELETE' AND NEW."removal_id" IS NULL THEN
		PERFORM "add_storage_tally"(NEW."account_id", NEW."size_bytes");
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "stored_objects_tally_added" AFTER INSERT ON "stored_objects"
	REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "tally_added_objects"();--> statement-breakpoint
CREATE TRIGGER "stored_objects_tally_removed" AFTER DELETE ON "stored_objects"
	REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "tally_removed_objects"();--> statement-breakpoint
CREATE TRIGGER "stored_objects_tally_resized" AFTER UPDATE OF "size_bytes" ON "stored_objects"
	FOR EACH ROW WHEN (OLD."size_bytes" <> NEW."size_bytes") EXECUTE FUNCTION "tally_resized_object"();--> statement-breakpoint
CREATE TRIGGER "studies_tally_storage_deleted" BEFORE DELETE ON "studies"
	FOR EACH ROW WHEN (OLD."removal_id" IS NULL) EXECUTE FUNCTION "tally_objects_of_study"();--> statement-breakpoint
CREATE TRIGGER "studies_tally_storage_moved" AFTER UPDATE OF "removal_id" ON "studies"
	FOR EACH ROW WHEN ((OLD."removal_id" IS NULL) <> (NEW."removal_id" IS NULL)) EXECUTE FUNCTION "tally_objects_of_study"();--> statement-breakpoint
CREATE TRIGGER "lab_exams_tally_storage" AFTER INSERT OR DELETE OR UPDATE OF "removal_id", "size_bytes" ON "lab_exams"
	FOR EACH ROW EXECUTE FUNCTION "tally_lab_exam"();--> statement-breakpoint
INSERT INTO "storage_tallies" ("id", "account_id", "bytes")
	SELECT gen_random_uuid(), "account_id", sum("bytes") FROM (
		SELECT "studies"."account_id", sum("stored_objects"."size_bytes") AS "bytes"
		FROM "stored_objects" JOIN "studies" ON "studies"."id" = "stored_objects"."study_id"
		WHERE "studies"."removal_id" IS NULL GROUP BY 1
		UNION ALL
		SELECT "account_id", sum("size_bytes") FROM "lab_exams" WHERE "removal_id" IS NULL GROUP BY 1
	) AS "kept" GROUP BY 2;
