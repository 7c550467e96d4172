import { and, eq, exists, gt, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import type { Db, DbOrTx } from "../../db/client.ts";
import { prepared } from "../../db/prepared.ts";
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

const unpicturedSeries = prepared((db) =>
  db
    .select({ seriesId: series.id, manifest: storedObjects })
    .from(series)
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .leftJoin(seriesThumbnails, eq(seriesThumbnails.seriesId, series.id))
    .where(
      and(
        eq(series.studyId, sql.placeholder("studyId")),
        eq(storedObjects.location, "archive"),
        isUnpictured,
      ),
    )
    .orderBy(sql`${series.seriesNumber} nulls last`, series.id)
    .limit(sql.placeholder("limit"))
    .prepare("unpictured_series"),
);

/** Archived series of a study that have no picture of what they hold now. */
export async function listUnpicturedSeries(
  db: DbOrTx,
  studyId: string,
  limit: number,
): Promise<UnpicturedSeries[]> {
  return await unpicturedSeries(db).execute({ studyId, limit });
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

/** Puts a series' picture in place of an older one; nothing happens where the series was deleted meanwhile. */
export async function saveThumbnail(db: Db, row: typeof seriesThumbnails.$inferInsert): Promise<void> {
  await db.transaction(async (tx) => {
    const [kept] = await tx
      .select({ id: series.id })
      .from(series)
      .where(eq(series.id, row.seriesId))
      .for("key share");
    if (!kept) return;
    await tx
      .insert(seriesThumbnails)
      .values(row)
      .onConflictDoUpdate({ target: seriesThumbnails.seriesId, set: row });
  });
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
