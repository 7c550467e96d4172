import { and, eq, exists, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { isUuid } from "../../../shared/uuid.ts";
import type { DbOrTx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { listArchivedStudies } from "../studies/studies.repo.ts";
import { series, studies } from "../studies/studies.table.ts";
import { DRAWN_AS } from "./drawn-as.ts";
import { seriesThumbnails } from "./thumbnails.table.ts";

export interface UnpicturedSeries {
  seriesId: string;
  /** Whether it has a picture of its present contents, which an older release drew. */
  isPictured: boolean;
  /** Whether it is the one that stands for its study. */
  isLargest: boolean;
  manifest: StoredObjectRow;
}

export interface Thumbnail {
  image: Uint8Array;
  contentType: string;
}

/** What is to be shown of a study or a series. */
export interface FoundThumbnail {
  /** Undefined if there is none, or none yet. */
  thumbnail: Thumbnail | undefined;
  /** Whether an older release drew it, or could not. */
  isOutdated: boolean;
}

/** The first process may have been killed for another reason, so a series has two attempts. */
const MAX_ATTEMPTS = 2;

const isLargest = sql<boolean>`${series.id} = (
  select other.id from series other where other.study_id = ${series.studyId}
  order by other.instance_count desc, other.series_number nulls last, other.series_instance_uid limit 1)`;

/** The series has no thumbnail row, or a row made from a manifest no longer in force, or an interrupted attempt, or lacks its preview. */
const isUnpictured = or(
  isNull(seriesThumbnails.seriesId),
  ne(seriesThumbnails.manifestId, series.manifestId),
  lt(seriesThumbnails.attempts, MAX_ATTEMPTS),
  and(
    isNotNull(seriesThumbnails.image),
    isNull(seriesThumbnails.preview),
    isNull(seriesThumbnails.attempts),
    isLargest,
  ),
);

/** Done, by a release that drew otherwise. A series that ended the process is not tried again. */
const isOutdated = sql<boolean>`coalesce(${and(isNull(seriesThumbnails.attempts), lt(seriesThumbnails.drawnAs, DRAWN_AS))}, false)`;

const unpicturedSeries = prepared((db, given: Given<{ studyId: string; limit: number }>) =>
  db
    .select({
      seriesId: series.id,
      isPictured: sql<boolean>`coalesce(${and(
        isNotNull(seriesThumbnails.image),
        or(isNull(seriesThumbnails.attempts), lt(seriesThumbnails.drawnAs, DRAWN_AS)),
        eq(seriesThumbnails.manifestId, series.manifestId),
      )}, false)`,
      isLargest,
      manifest: storedObjects,
    })
    .from(series)
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .leftJoin(seriesThumbnails, eq(seriesThumbnails.seriesId, series.id))
    .where(
      and(
        eq(series.studyId, given.studyId),
        eq(storedObjects.location, "archive"),
        or(isUnpictured, isOutdated),
      ),
    )
    .orderBy(sql`${series.seriesNumber} nulls last`, series.id)
    .limit(given.limit),
);

/** Archived series of a study that have no picture of their present contents, or one that is drawn otherwise today. */
export async function listUnpicturedSeries(
  db: DbOrTx,
  studyId: string,
  limit: number,
): Promise<UnpicturedSeries[]> {
  return await unpicturedSeries(db, { studyId, limit });
}

/** Ids after `afterStudyId`, in order, of archived studies with a series that has no picture of its present contents. */
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
  return await listArchivedStudies(db, exists(unpictured), afterStudyId, limit);
}

/**
 * Records an attempt before anything is read for the picture, so that a series that ends the process is not tried at every start.
 * An older picture stays until there is a new one.
 */
export async function beginThumbnail(
  db: DbOrTx,
  { seriesId, manifestId, at }: { seriesId: string; manifestId: string; at: Date },
): Promise<void> {
  const { attempts, drawnAs, manifestId: recorded } = seriesThumbnails;
  await db
    .insert(seriesThumbnails)
    .select(
      db
        .select({
          seriesId: series.id,
          manifestId: sql`${manifestId}::uuid`.as(recorded.name),
          image: sql`null::bytea`.as(seriesThumbnails.image.name),
          contentType: sql`null::text`.as(seriesThumbnails.contentType.name),
          preview: sql`null::bytea`.as(seriesThumbnails.preview.name),
          madeAt: sql`${sql.param(at, seriesThumbnails.madeAt)}::timestamptz`.as(
            seriesThumbnails.madeAt.name,
          ),
          failed: sql`true`.as(seriesThumbnails.failed.name),
          attempts: sql`1`.as(attempts.name),
          drawnAs: sql`${DRAWN_AS}::integer`.as(drawnAs.name),
        })
        .from(series)
        .where(eq(series.id, seriesId))
        .for("key share"),
    )
    .onConflictDoUpdate({
      target: seriesThumbnails.seriesId,
      set: {
        manifestId: sql`excluded.manifest_id`,
        attempts: sql`case when ${recorded} = excluded.manifest_id then coalesce(${attempts}, 0) + 1 else 1 end`,
        // A picture of former contents is none to keep if these can't be drawn.
        drawnAs: sql`case when ${recorded} = excluded.manifest_id then ${drawnAs} else excluded.drawn_as end`,
      },
    });
}

/** Takes back an attempt that failed for reasons outside the series, such as an unreachable store. */
export async function takeBackAttempt(db: DbOrTx, seriesId: string, manifestId: string): Promise<void> {
  await db
    .update(seriesThumbnails)
    .set({ attempts: sql`greatest(${seriesThumbnails.attempts} - 1, 0)` })
    .where(and(eq(seriesThumbnails.seriesId, seriesId), eq(seriesThumbnails.manifestId, manifestId)));
}

/** Keeps the picture of an older release, which this one could not draw. */
export async function keepOlderPicture(db: DbOrTx, seriesId: string, manifestId: string): Promise<void> {
  await db
    .update(seriesThumbnails)
    .set({
      attempts: null,
      drawnAs: DRAWN_AS,
      preview: sql`coalesce(${seriesThumbnails.preview}, ''::bytea)`,
    })
    .where(and(eq(seriesThumbnails.seriesId, seriesId), eq(seriesThumbnails.manifestId, manifestId)));
}

type ThumbnailRow = Omit<typeof seriesThumbnails.$inferSelect, "attempts" | "drawnAs">;

const newOrNewerThumbnail = prepared((db, given: Given<ThumbnailRow>) => {
  const { manifestId, image, contentType, preview, madeAt, failed, attempts, drawnAs } = seriesThumbnails;
  return db
    .insert(seriesThumbnails)
    .select(
      db
        .select({
          seriesId: series.id,
          manifestId: sql`${given.manifestId}::uuid`.as(manifestId.name),
          image: sql`${given.image}::bytea`.as(image.name),
          contentType: sql`${given.contentType}::text`.as(contentType.name),
          preview: sql`${given.preview}::bytea`.as(preview.name),
          madeAt: sql`${sql.param(given.madeAt, madeAt)}::timestamptz`.as(madeAt.name),
          failed: sql`${given.failed}::boolean`.as(failed.name),
          attempts: sql`null::integer`.as(attempts.name),
          drawnAs: sql`${DRAWN_AS}::integer`.as(drawnAs.name),
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
        preview: sql`excluded.preview`,
        madeAt: sql`excluded.made_at`,
        failed: sql`excluded.failed`,
        attempts: sql`null`,
        drawnAs: sql`excluded.drawn_as`,
      },
    });
});

/** Saves a series' picture in place of an older one; does nothing if the series was deleted meanwhile. */
export async function saveThumbnail(db: DbOrTx, row: ThumbnailRow): Promise<void> {
  await newOrNewerThumbnail(db, row);
}

/**
 * The picture of the study's largest series that has one, since the scout of a CT shows little.
 * @param isLarge the preview for the viewer where there is one
 */
export async function findStudyThumbnail(
  db: DbOrTx,
  studyId: string,
  { isLarge = false } = {},
): Promise<FoundThumbnail> {
  const { image, preview, contentType } = seriesThumbnails;
  const [row] = await db
    .select({
      image: isLarge ? sql<Uint8Array>`coalesce(nullif(${preview}, ''), ${image})`.mapWith(image) : image,
      contentType,
      isOutdated,
    })
    .from(seriesThumbnails)
    .innerJoin(series, eq(series.id, seriesThumbnails.seriesId))
    .where(eq(series.studyId, studyId))
    .orderBy(
      isNull(image),
      sql`${series.instanceCount} desc`,
      sql`${series.seriesNumber} nulls last`,
      series.seriesInstanceUID,
    )
    .limit(1);
  return { thumbnail: row && pictureIn(row), isOutdated: row?.isOutdated ?? false };
}

/** The picture of a series of the study, by its id or Series Instance UID; `"unknown"` if the study has no such series. */
export async function findSeriesThumbnail(
  db: DbOrTx,
  studyId: string,
  reference: string,
): Promise<FoundThumbnail | "unknown"> {
  const column = isUuid(reference) ? series.id : series.seriesInstanceUID;
  const [row] = await db
    .select({ image: seriesThumbnails.image, contentType: seriesThumbnails.contentType, isOutdated })
    .from(series)
    .leftJoin(seriesThumbnails, eq(seriesThumbnails.seriesId, series.id))
    .where(and(eq(series.studyId, studyId), eq(column, reference)));
  return row ? { thumbnail: pictureIn(row), isOutdated: row.isOutdated } : "unknown";
}

function pictureIn(row: { image: Uint8Array | null; contentType: string | null }): Thumbnail | undefined {
  const { image, contentType } = row;
  return image && contentType !== null ? { image, contentType } : undefined;
}
