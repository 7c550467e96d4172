ALTER TABLE "studies" ADD COLUMN "patient_name_groups" text;--> statement-breakpoint
CREATE INDEX "studies_name_groups_idx" ON "studies" USING btree ("account_id") WHERE "studies"."patient_name_groups" is not null;--> statement-breakpoint
-- Names with several groups that were kept among the attributes, as `foldedGroups` of src/shared/dicom/folded-name.ts writes them.
UPDATE "studies" SET "patient_name_groups" = "names"."folded" FROM (
	SELECT "kept"."id", '=' || string_agg("group"."folded", '=' ORDER BY "value"."place", "group"."place") || '=' AS "folded"
	FROM "studies" AS "kept"
	CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof("kept"."attributes" #> '{00100010,Value}')
		WHEN 'array' THEN "kept"."attributes" #> '{00100010,Value}' ELSE '[]'::jsonb END) WITH ORDINALITY AS "value" ("item", "place")
	CROSS JOIN LATERAL (
		SELECT btrim(regexp_replace(lower(regexp_replace(normalize("text", NFKD), '[\u0300-\u036f\u3099\u309a]+', '', 'g')), '[\^=\s]+', ' ', 'g'))
			AS "folded", "place"
		FROM (VALUES ("value"."item" ->> 'Alphabetic', 1), ("value"."item" ->> 'Ideographic', 2), ("value"."item" ->> 'Phonetic', 3))
			AS "said" ("text", "place")
	) AS "group"
	WHERE "group"."folded" <> ''
	GROUP BY "kept"."id"
) AS "names" WHERE "studies"."id" = "names"."id";
