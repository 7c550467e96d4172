CREATE TABLE "series_thumbnails" (
	"series_id" uuid PRIMARY KEY NOT NULL,
	"manifest_id" uuid NOT NULL,
	"image" "bytea",
	"content_type" text,
	"made_at" timestamp with time zone NOT NULL,
	"failed" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "series_thumbnails" ADD CONSTRAINT "series_thumbnails_series_id_series_id_fk" FOREIGN KEY ("series_id") REFERENCES "public"."series"("id") ON DELETE cascade ON UPDATE no action;