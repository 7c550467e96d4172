ALTER TABLE "studies" ADD COLUMN "search_folded" text GENERATED ALWAYS AS (' ' || patient_name_folded || ' ' || patient_id_folded || ' ' || accession_number_folded || ' '
  || description_folded || ' ' || regexp_replace(lower(regexp_replace(normalize(left(coalesce(institution_name, ''), 512), NFKD),
  '[\u0300-\u036f]+', '', 'g')), '\s+', ' ', 'g') || ' ' || replace(lower(coalesce(modality, '')), '\', ' ') || ' ') STORED;--> statement-breakpoint
CREATE INDEX "studies_search_trgm_idx" ON "studies" USING gin ("search_folded" gin_trgm_ops);--> statement-breakpoint
-- A search looks at the institution too, so a change of it may change a count.
CREATE OR REPLACE FUNCTION "tally_changed_studies"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_study_tally"("account_id", "kind", "change") FROM (
		SELECT "account_id", coalesce("modality", '') AS "kind", sum("change")::bigint AS "change" FROM (
			SELECT "account_id", "modality", sum("step") AS "change" FROM (
				SELECT -1 AS "step", "account_id", "modality", "study_date", "patient_name_folded", "patient_id_folded",
					"accession_number_folded", "description_folded", "search_folded" FROM "removed" WHERE "removal_id" IS NULL
				UNION ALL
				SELECT 1, "account_id", "modality", "study_date", "patient_name_folded", "patient_id_folded",
					"accession_number_folded", "description_folded", "search_folded" FROM "added" WHERE "removal_id" IS NULL
			) AS "versions"
			GROUP BY "account_id", "modality", "study_date", "patient_name_folded", "patient_id_folded",
				"accession_number_folded", "description_folded", "search_folded"
			HAVING sum("step") <> 0
		) AS "changes" GROUP BY 1, 2
	) AS "tally";
	RETURN NULL;
END $$;
