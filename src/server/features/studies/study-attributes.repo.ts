import { and, asc, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { DicomJson, DicomJsonElement } from "../../../shared/dicom/reading/instance.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { Db, DbOrTx } from "../../db/client.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { isNameUnread, isTimeUnread } from "./indexed-expressions.repo.ts";
import { type StudyRow, series, studies } from "./studies.table.ts";

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

export interface UnreadStudy extends Pick<StudyRow, "id" | "patientName" | "studyTime" | "instanceValues"> {
  isNameUnread: boolean;
  isTimeUnread: boolean;
  /** Archived manifests of its series, the smallest first; none while its bytes are on their way. */
  manifests: StoredObjectRow[];
}

/**
 * Studies after `afterId`, by id, of which an older release read too little: one group of the name, or the time without its fraction. Each
 * has some manifests.
 */
export async function listUnreadStudies(
  db: Db,
  afterId: string | null,
  { limit, manifestsEach }: { limit: number; manifestsEach: number },
): Promise<UnreadStudy[]> {
  const { id, patientName, studyTime, instanceValues } = studies;
  const isAfter = afterId === null ? undefined : gt(id, afterId);
  // Each has an index of its own.
  const [ofNames, ofTimes] = [isNameUnread(studies), isTimeUnread(studies)].map((isUnread) =>
    db.select({ id }).from(studies).where(and(isUnread, isAfter)).orderBy(asc(id)).limit(limit),
  );
  const page = await db
    .select({
      id,
      patientName,
      studyTime,
      instanceValues,
      isNameUnread: sql<boolean>`(${isNameUnread(studies)}) is true`,
      isTimeUnread: sql<boolean>`(${isTimeUnread(studies)}) is true`,
    })
    .from(studies)
    .where(sql`${id} in (${ofNames} union ${ofTimes})`)
    .orderBy(asc(id))
    .limit(limit);
  if (page.length === 0) return [];
  const ids = page.map((study) => study.id);
  const numbered = db
    .select({
      manifestId: series.manifestId,
      place:
        sql<number>`row_number() over (partition by ${series.studyId} order by ${storedObjects.sizeBytes}, ${series.id})`.as(
          "place",
        ),
    })
    .from(series)
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .where(and(inArray(series.studyId, ids), eq(storedObjects.location, "archive")))
    .as("numbered");
  const manifests = await db
    .select({ manifest: storedObjects })
    .from(numbered)
    .innerJoin(storedObjects, eq(storedObjects.id, numbered.manifestId))
    .where(sql`${numbered.place} <= ${manifestsEach}`)
    .orderBy(numbered.place);
  const ofStudies = Object.groupBy(manifests, ({ manifest }) => manifest.studyId ?? "");
  return page.map((study) => ({
    ...study,
    manifests: (ofStudies[study.id] ?? []).map(({ manifest }) => manifest),
  }));
}

/** Keeps a name with several groups; what another node kept meanwhile stays. */
export async function keepNameGroups(
  db: DbOrTx,
  studyId: string,
  { attributes, groups }: { attributes: { name: DicomJson; others: DicomJson }; groups: string | null },
): Promise<void> {
  const { name, others } = attributes;
  await db
    .update(studies)
    .set({
      patientNameGroups: groups,
      patientNameTries: null,
      attributes: sql`coalesce(${studies.attributes}, ${JSON.stringify(others)}::jsonb) || ${JSON.stringify(name)}::jsonb`,
    })
    .where(
      and(eq(studies.id, studyId), isNotNull(studies.patientNameTries), isNull(studies.patientNameGroups)),
    );
}

/** Keeps a time with a fraction of a second; what another node kept meanwhile stays. */
export async function keepStudyTime(
  db: DbOrTx,
  studyId: string,
  { time, others }: { time: DicomJsonElement; others: DicomJson },
): Promise<void> {
  const kept = { [TagHex.StudyTime]: time };
  await db
    .update(studies)
    .set({
      studyTimeTries: null,
      attributes: sql`coalesce(${studies.attributes}, ${JSON.stringify(others)}::jsonb) || ${JSON.stringify(kept)}::jsonb`,
    })
    .where(and(eq(studies.id, studyId), isNotNull(studies.studyTimeTries)));
}

/** Notes that nothing more is to be read of studies than what is kept of them. */
export async function noteReadStudies(db: DbOrTx, studyIds: readonly string[]): Promise<void> {
  if (studyIds.length === 0) return;
  await db
    .update(studies)
    .set({ patientNameTries: null, studyTimeTries: null })
    .where(inArray(studies.id, [...studyIds]));
}

/** Notes that studies could not be read. */
export async function noteUnreadableStudies(db: DbOrTx, studyIds: readonly string[]): Promise<void> {
  if (studyIds.length === 0) return;
  await db
    .update(studies)
    .set({
      patientNameTries: sql`${studies.patientNameTries} + 1`,
      studyTimeTries: sql`${studies.studyTimeTries} + 1`,
    })
    .where(inArray(studies.id, [...studyIds]));
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
