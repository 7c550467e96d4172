import { and, eq, exists, gt, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { type StoredObjectRow, series, storedObjects, studies } from "../studies/studies.table.ts";
import { seriesThumbnails } from "./thumbnails.table.ts";

export interface UnpicturedSeries {
  seriesId: string;
  manifest: StoredObjectRow;
}

export interface Thumbnail {
  image: Uint8Array;
  contentType: string;
}

/** There is no thumbnail row, or it was made from a manifest no longer in force. */
const isUnpictured = or(
  isNull(seriesThumbnails.seriesId),
  ne(seriesThumbnails.manifestId, series.manifestId),
);

const unpicturedSeries = prepared((db, given: Given<{ studyId: string; limit: number }>) =>
  db
    .select({ seriesId: series.id, manifest: storedObjects })
    .from(series)
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .leftJoin(seriesThumbnails, eq(seriesThumbnails.seriesId, series.id))
    .where(and(eq(series.studyId, given.studyId), eq(storedObjects.location, "archive"), isUnpictured))
    .orderBy(sql`${series.seriesNumber} nulls last`, series.id)
    .limit(given.limit),
);

/** Archived series of a study that have no picture of what they hold now. */
export async function listUnpicturedSeries(
  db: DbOrTx,
  studyId: string,
  limit: number,
): Promise<UnpicturedSeries[]> {
  return await unpicturedSeries(db, { studyId, limit });
}

/** Ids, in order and behind `afterStudyId`, of archived studies with such a series. */
export async function listUnpicturedStudies(
  db: DbOrTx,
  afterStudyId: string | null,
  limit: number,
): Promise<string[]> {
  const unpictured = db
    .select({ id: series.id })
    .from(series)
    .leftJoin(seriesThumbnails, eq(seriesThumbnails.seriesId, series.id))
    .where(and(eq(series.studyId, studies.id), isUnpictured));
  const rows = await db
    .select({ id: studies.id })
    .from(studies)
    .where(
      and(
        eq(studies.storageStatus, "b2"),
        afterStudyId === null ? undefined : gt(studies.id, afterStudyId),
        exists(unpictured),
      ),
    )
    .orderBy(studies.id)
    .limit(limit);
  return rows.map((row) => row.id);
}

type ThumbnailRow = typeof seriesThumbnails.$inferSelect;

const newOrNewerThumbnail = prepared((db, given: Given<ThumbnailRow>) => {
  const { manifestId, image, contentType, madeAt, failed } = seriesThumbnails;
  return db
    .insert(seriesThumbnails)
    .select(
      db
        .select({
          seriesId: series.id,
          manifestId: sql`${given.manifestId}::uuid`.as(manifestId.name),
          image: sql`${given.image}::bytea`.as(image.name),
          contentType: sql`${given.contentType}::text`.as(contentType.name),
          madeAt: sql`${sql.param(given.madeAt, madeAt)}::timestamptz`.as(madeAt.name),
          failed: sql`${given.failed}::boolean`.as(failed.name),
        })
        .from(series)
        .where(eq(series.id, given.seriesId))
        .for("key share"),
    )
    .onConflictDoUpdate({
      target: seriesThumbnails.seriesId,
      set: {
        manifestId: sql`excluded.manifest_id`,
        image: sql`excluded.image`,
        contentType: sql`excluded.content_type`,
        madeAt: sql`excluded.made_at`,
        failed: sql`excluded.failed`,
      },
    });
});

/** Puts a series' picture in place of an older one; nothing happens where the series was deleted meanwhile. */
export async function saveThumbnail(db: DbOrTx, row: ThumbnailRow): Promise<void> {
  await newOrNewerThumbnail(db, row);
}

/** The picture of the study's largest series that has one: the scout of a CT says little of it. */
export async function findStudyThumbnail(db: DbOrTx, studyId: string): Promise<Thumbnail | undefined> {
  const [row] = await db
    .select({ image: seriesThumbnails.image, contentType: seriesThumbnails.contentType })
    .from(seriesThumbnails)
    .innerJoin(series, eq(series.id, seriesThumbnails.seriesId))
    .where(and(eq(series.studyId, studyId), isNotNull(seriesThumbnails.image)))
    .orderBy(
      sql`${series.instanceCount} desc`,
      sql`${series.seriesNumber} nulls last`,
      series.seriesInstanceUID,
    )
    .limit(1);
  return row && pictureIn(row);
}

/** The picture of one series of the study, named by `column`; `"unknown"` where the study has no such series. */
export async function findSeriesThumbnail(
  db: DbOrTx,
  studyId: string,
  column: "id" | "seriesInstanceUID",
  value: string,
): Promise<Thumbnail | undefined | "unknown"> {
  const [row] = await db
    .select({ image: seriesThumbnails.image, contentType: seriesThumbnails.contentType })
    .from(series)
    .leftJoin(seriesThumbnails, eq(seriesThumbnails.seriesId, series.id))
    .where(and(eq(series.studyId, studyId), eq(series[column], value)));
  return row ? pictureIn(row) : "unknown";
}

function pictureIn(row: { image: Uint8Array | null; contentType: string | null }): Thumbnail | undefined {
  const { image, contentType } = row;
  return image && contentType !== null ? { image, contentType } : undefined;
}
