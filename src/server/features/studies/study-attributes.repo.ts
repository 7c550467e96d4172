import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { DicomJson } from "../../../shared/dicom/reading/instance.ts";
import type { Db, DbOrTx } from "../../db/client.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { series, studies } from "./studies.table.ts";

export interface SeriesToDescribe {
  seriesId: string;
  studyId: string;
  manifest: StoredObjectRow;
}

/** Archived series whose attributes, or whose study's, were not read yet; after `afterId`, by id. */
export async function listUndescribedSeries(
  db: Db,
  afterId: string | null,
  limit: number,
): Promise<SeriesToDescribe[]> {
  // Each kind of null has an index of its own; one condition over both would read every series.
  const ofSeries = idsWhere(db, isNull(series.attributes), afterId, limit);
  const ofStudies = idsWhere(db, isNull(studies.attributes), afterId, limit);
  return await db
    .select({ seriesId: series.id, studyId: series.studyId, manifest: storedObjects })
    .from(series)
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .where(sql`${series.id} in (${ofSeries} union ${ofStudies})`)
    .orderBy(series.id)
    .limit(limit);
}

function idsWhere(db: Db, isUnread: SQL, afterId: string | null, limit: number) {
  const isAfter = afterId === null ? undefined : gt(series.id, afterId);
  return db
    .select({ id: series.id })
    .from(series)
    .innerJoin(studies, eq(studies.id, series.studyId))
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .where(and(isUnread, eq(storedObjects.location, "archive"), isAfter))
    .orderBy(series.id)
    .limit(limit);
}

/** Keeps what one instance of a series says, where nothing is kept yet. */
export async function describeSeries(
  db: DbOrTx,
  { seriesId, studyId }: Pick<SeriesToDescribe, "seriesId" | "studyId">,
  attributes: { study: DicomJson; series: DicomJson },
): Promise<void> {
  await db
    .update(series)
    .set({ attributes: attributes.series })
    .where(and(eq(series.id, seriesId), isNull(series.attributes)));
  await db
    .update(studies)
    .set({ attributes: attributes.study })
    .where(and(eq(studies.id, studyId), isNull(studies.attributes)));
}
