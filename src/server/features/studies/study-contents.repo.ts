import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { byColumn, type RowsByColumn, selectGiven } from "../../db/given-rows.ts";
import type { OneStatement } from "../../db/one-statement.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { runConcurrently } from "../../db/run-concurrently.ts";
import { statementChunks } from "../../db/statement-chunks.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { listVolumes } from "../../holdings/objects/stored-objects.repo.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import {
  MAX_INDEXED_TEXT,
  type SeriesRow,
  type StudyRow,
  series,
  studies,
  type WrittenStudyRow,
} from "./studies.table.ts";
import { lockStudies } from "./study-storage.repo.ts";

const studyTurns = prepared((db, given: Given<{ keys: string[] }>) =>
  db
    .select({ turn: sql`pg_advisory_xact_lock(hashtextextended(key, 0))` })
    .from(sql`unnest(${given.keys}::text[]) as key`),
);

type Named = { accountId: string; studyInstanceUIDs: string[] };

const idsOfNamed = prepared((db, given: Given<Named>) =>
  db.select({ id: studies.id }).from(studies).where(isNamedStudy(given)),
);

/** Matches a study named by UID among those that an account keeps. */
function isNamedStudy(given: Given<Named>): SQL | undefined {
  const isNamed = sql`${studies.studyInstanceUID} = any(${given.studyInstanceUIDs}::text[])`;
  return and(isKept(studies), eq(studies.accountId, given.accountId), isNamed);
}

/**
 * Serialises commits to the same studies of an account until the transaction ends; always in the same order. Returns whether any of
 * them exists; none can be added while the lock is held.
 */
export async function lockStudiesOf(
  tx: Tx,
  accountId: string,
  studyInstanceUIDs: string[],
): Promise<boolean> {
  const keys = studyInstanceUIDs.map((uid) => `${accountId} ${uid}`).sort();
  const [, existing] = await runConcurrently(
    studyTurns(tx, { keys }),
    idsOfNamed(tx, { accountId, studyInstanceUIDs }),
  );
  // The rows are locked too, so a concurrent deletion or transfer either waits or is already visible.
  const ids = existing.map(({ id }) => id).sort();
  for (const some of statementChunks(ids)) await lockStudies(tx, some);
  return ids.length > 0;
}

/** A stored study with the manifests in force. */
export interface StoredStudy {
  study: StudyRow;
  series: { row: SeriesRow; manifest: StoredObjectRow }[];
  /** For a damaged study: the volumes that an upload may replace. */
  volumes: StoredObjectRow[];
}

const storedStudies = prepared((db, given: Given<Named>) =>
  db
    .select({ study: studies, series, manifest: storedObjects })
    .from(studies)
    .innerJoin(series, eq(series.studyId, studies.id))
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .where(isNamedStudy(given)),
);

/** The account's studies among the named ones, by UID. */
export async function findStoredStudies(
  db: DbOrTx,
  accountId: string,
  studyInstanceUIDs: string[],
): Promise<Map<string, StoredStudy>> {
  const found = new Map<string, StoredStudy>();
  for (const some of statementChunks(studyInstanceUIDs)) {
    const rows = await storedStudies(db, { accountId, studyInstanceUIDs: some });
    for (const { study, series: row, manifest } of rows) {
      const stored = found.get(study.studyInstanceUID) ?? { study, series: [], volumes: [] };
      stored.series.push({ row, manifest });
      found.set(study.studyInstanceUID, stored);
    }
  }
  for (const stored of found.values()) {
    if (isUnsound(stored.study)) stored.volumes = await listVolumes(db, stored.study.id);
  }
  return found;
}

/** The series of a study with their manifests, also of one that waits to be purged. */
export async function listStoredSeries(db: DbOrTx, studyId: string): Promise<StoredStudy["series"]> {
  return await db
    .select({ row: series, manifest: storedObjects })
    .from(series)
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .where(eq(series.studyId, studyId));
}

/** All that a study holds, but for its report. */
export interface StudyContents extends Pick<StoredStudy, "series"> {
  volumes: StoredObjectRow[];
}

/**
 * What a study holds now; nothing, if it was deleted. The volumes are looked up behind the manifests, so that those which an upload adds
 * meanwhile are among them.
 */
export async function findContents(db: DbOrTx, studyId: string): Promise<StudyContents> {
  const stored = await listStoredSeries(db, studyId);
  return { series: stored, volumes: await listVolumes(db, studyId) };
}

const newStudies = prepared((db, given: Given<RowsByColumn<typeof studies>>) =>
  db.insert(studies).select(selectGiven(studies, given)),
);

export async function insertStudies(tx: Tx | OneStatement, rows: WrittenStudyRow[]): Promise<void> {
  if (rows.length > 0) await newStudies(tx, byColumn(studies, rows));
}

const newOrChangedSeries = prepared((db, given: Given<RowsByColumn<typeof series>>) =>
  db
    .insert(series)
    .select(selectGiven(series, given))
    .onConflictDoUpdate({
      target: [series.studyId, series.seriesInstanceUID],
      set: {
        manifestId: sql`excluded.manifest_id`,
        instanceCount: sql`excluded.instance_count`,
        attributes: sql`coalesce(${series.attributes}, excluded.attributes)`,
      },
    }),
);

/** Adds series, or switches existing ones to their new manifest. */
export async function upsertSeries(tx: Tx | OneStatement, rows: SeriesRow[]): Promise<void> {
  if (rows.length > 0) await newOrChangedSeries(tx, byColumn(series, rows));
}

/** Updates counts, size, modalities and status of studies from what they now hold. */
export async function refreshStudies(tx: Tx, studyIds: string[]): Promise<void> {
  const ofStudy = sql`${series.studyId} = ${studies.id}`;
  const objectsOfStudy = sql`${storedObjects.studyId} = ${studies.id}`;
  for (const some of statementChunks(studyIds)) {
    await tx
      .update(studies)
      .set({
        seriesCount: sql`(select count(*)::int from ${series} where ${ofStudy})`,
        instanceCount: sql`(select coalesce(sum(${series.instanceCount}), 0)::int from ${series} where ${ofStudy})`,
        sizeBytes: sql`(select coalesce(sum(${storedObjects.sizeBytes}), 0) from ${storedObjects} where ${objectsOfStudy})`,
        modality: sql`case when ${studies.instanceValues} ? 'modality' then ${studies.modality} else
          (select left(string_agg(distinct ${series.modality}, ${"\\"} order by ${series.modality}), ${MAX_INDEXED_TEXT}::int)
            from ${series} where ${ofStudy}) end`,
        storageStatus: sql`case when exists (select 1 from ${storedObjects} where ${objectsOfStudy}
          and ${storedObjects.location} = 'staging') then 'local' else 'b2' end::storage_status`,
      })
      .where(inArray(studies.id, some));
  }
}

export async function updateStudyIndex(
  tx: Tx,
  studyId: string,
  values: Partial<typeof studies.$inferInsert>,
): Promise<void> {
  await tx.update(studies).set(values).where(eq(studies.id, studyId));
}
