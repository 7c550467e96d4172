CREATE TABLE "retired_titles" (
	"ae_title" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"retired_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "retired_titles_account_id_idx" ON "retired_titles" USING btree ("account_id","retired_at");--> statement-breakpoint
-- A sender goes on with the title that it was set up with: it must not reach another account. Also when the account itself goes.
CREATE FUNCTION "retire_title"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "retired_titles" WHERE "retired_at" <= now() - interval '1 year';
	INSERT INTO "retired_titles" ("ae_title", "account_id", "retired_at")
	VALUES (OLD."ae_title", OLD."account_id", now())
	ON CONFLICT ("ae_title") DO UPDATE SET "account_id" = excluded."account_id", "retired_at" = excluded."retired_at";
	DELETE FROM "retired_titles" WHERE "ae_title" IN (
		SELECT "ae_title" FROM "retired_titles" WHERE "account_id" = OLD."account_id"
		ORDER BY "retired_at" DESC, "ae_title" OFFSET 100
	);
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "receivers_retire_title" AFTER DELETE ON "receivers"
	FOR EACH ROW WHEN (OLD."instances" > 0 OR OLD."refusals" > 0) EXECUTE FUNCTION "retire_title"();
