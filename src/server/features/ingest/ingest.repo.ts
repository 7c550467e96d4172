import { and, eq, inArray, isNotNull, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { byColumn, type RowsByColumn, selectGiven } from "../../db/given-rows.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { together } from "../../db/together.ts";
import { listVolumes, lockStudies } from "../../holdings/objects/stored-objects.repo.ts";
import { uploads } from "../../holdings/uploads/uploads.table.ts";
import { isUnsound } from "../studies/integrity.repo.ts";
import { isKept } from "../studies/studies.repo.ts";
import {
  MAX_INDEXED_TEXT,
  type SeriesRow,
  type StoredObjectRow,
  type StudyRow,
  series,
  storedObjects,
  studies,
} from "../studies/studies.table.ts";

type UploadRow = typeof uploads.$inferSelect;

/** PostgreSQL takes 65,534 parameters a statement. */
const ROWS_PER_STATEMENT = 1_000;

type NewUpload = Omit<UploadRow, "finishedAt" | "bytesRemovedAt">;

const newUpload = prepared((db, given: Given<NewUpload>) => {
  const { id, accountId, nodeId, bootId, state, startedAt } = given;
  return db.insert(uploads).values({ id, accountId, nodeId, bootId, state, startedAt });
});

/** Records an upload before its first byte. */
export async function insertUpload(db: DbOrTx, row: NewUpload): Promise<void> {
  await newUpload(db, row);
}

export async function findUploads(db: DbOrTx, ids: string[]): Promise<UploadRow[]> {
  if (ids.length === 0) return [];
  return await db.select().from(uploads).where(inArray(uploads.id, ids));
}

/** Which of these ids are uploads of ours; one that was forgotten is told by what it stored. */
export async function findKnownUploads(db: DbOrTx, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const known = await db.select({ id: uploads.id }).from(uploads).where(inArray(uploads.id, ids));
  const stored = await db
    .selectDistinct({ id: storedObjects.uploadId })
    .from(storedObjects)
    .where(inArray(storedObjects.uploadId, ids));
  return new Set([...known, ...stored].map(({ id }) => id));
}

/** Uploads of a node that died with a former run of it before they were committed. */
export async function listDeadUploads(db: DbOrTx, nodeId: string, bootId: string): Promise<UploadRow[]> {
  return await db
    .select()
    .from(uploads)
    .where(and(eq(uploads.nodeId, nodeId), eq(uploads.state, "receiving"), ne(uploads.bootId, bootId)));
}

/** Every node that an upload under way or a staged object names. */
export async function listNodesNamed(db: DbOrTx): Promise<string[]> {
  const receiving = db.select({ id: uploads.nodeId }).from(uploads).where(eq(uploads.state, "receiving"));
  const holding = db
    .select({ id: sql<string>`${storedObjects.stagedOn}` })
    .from(storedObjects)
    .where(isNotNull(storedObjects.stagedOn));
  const rows = await receiving.union(holding);
  return rows.map(({ id }) => id);
}

/** Ends what a node was receiving; a commit under way is waited for, and stands. */
export async function failUploadsOfNode(tx: Tx, nodeId: string, at: Date): Promise<void> {
  await tx
    .update(uploads)
    .set({ state: "failed", finishedAt: at })
    .where(and(eq(uploads.nodeId, nodeId), eq(uploads.state, "receiving")));
}

/** Failed uploads of a node that it has not seen gone from the store itself. */
export async function listUnremovedUploads(db: DbOrTx, nodeId: string): Promise<string[]> {
  const rows = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(eq(uploads.nodeId, nodeId), eq(uploads.state, "failed"), isNull(uploads.bytesRemovedAt)))
    .orderBy(uploads.id);
  return rows.map(({ id }) => id);
}

export async function markBytesRemoved(db: DbOrTx, id: string, at: Date): Promise<void> {
  await db.update(uploads).set({ bytesRemovedAt: at }).where(eq(uploads.id, id));
}

/** Forgets the uploads of a node that is forgotten itself. */
export async function deleteUploadsOfNode(db: DbOrTx, nodeId: string): Promise<void> {
  await db.delete(uploads).where(and(eq(uploads.nodeId, nodeId), ne(uploads.state, "receiving")));
}

const uploadEnd = prepared((db, given: Given<Pick<UploadRow, "id" | "state"> & { at: Date }>) =>
  db
    .update(uploads)
    .set({ state: sql`${given.state}`, finishedAt: sql`${sql.param(given.at, uploads.finishedAt)}` })
    .where(and(eq(uploads.id, given.id), eq(uploads.state, "receiving")))
    .returning({ id: uploads.id }),
);

/**
 * Ends an upload that is neither committed nor ended; `false` where it is. Waits for a commit under way, so that
 * after `true` nothing of it can become visible any more.
 */
export async function endUpload(
  db: DbOrTx,
  id: string,
  state: "committed" | "failed",
  at: Date,
): Promise<boolean> {
  const rows = await uploadEnd(db, { id, state, at });
  return rows.length === 1;
}

/** Forgets uploads ended before `before`; what they stored has rows of its own. */
export async function deleteOldUploads(db: DbOrTx, nodeId: string, before: Date): Promise<void> {
  await db.delete(uploads).where(and(eq(uploads.nodeId, nodeId), lt(uploads.finishedAt, before)));
}

const studyTurns = prepared((db, given: Given<{ keys: string[] }>) =>
  db
    .select({ turn: sql`pg_advisory_xact_lock(hashtextextended(key, 0))` })
    .from(sql`unnest(${given.keys}::text[]) as key`),
);

type Named = { accountId: string; studyInstanceUIDs: string[] };

const idsOfNamed = prepared((db, given: Given<Named>) =>
  db.select({ id: studies.id }).from(studies).where(isNamedStudy(given)),
);

/** Among the studies that an account keeps. */
function isNamedStudy(given: Given<Named>): SQL | undefined {
  const isNamed = sql`${studies.studyInstanceUID} = any(${given.studyInstanceUIDs}::text[])`;
  return and(isKept, eq(studies.accountId, given.accountId), isNamed);
}

/**
 * Serialises commits to the same studies of an account until the transaction ends; always in the same order. Returns
 * whether any of them is there: while the lock is held, none comes.
 */
export async function lockStudiesOf(
  tx: Tx,
  accountId: string,
  studyInstanceUIDs: string[],
): Promise<boolean> {
  const keys = studyInstanceUIDs.map((uid) => `${accountId} ${uid}`).sort();
  const [, existing] = await together(
    studyTurns(tx, { keys }),
    idsOfNamed(tx, { accountId, studyInstanceUIDs }),
  );
  // The rows too: a deletion or a transfer at the same time waits, or is seen to have happened.
  const ids = existing.map(({ id }) => id).sort();
  for (const some of chunks(ids)) await lockStudies(tx, some);
  return ids.length > 0;
}

/** A study as it stands, with the manifests in force. */
export interface StoredStudy {
  study: StudyRow;
  series: { row: SeriesRow; manifest: StoredObjectRow }[];
  /** Of a study with damage: those that an upload may replace. */
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

/** Those of the account's studies that are there, by UID. */
export async function findStoredStudies(
  db: DbOrTx,
  accountId: string,
  studyInstanceUIDs: string[],
): Promise<Map<string, StoredStudy>> {
  const found = new Map<string, StoredStudy>();
  for (const some of chunks(studyInstanceUIDs)) {
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

const newStudies = prepared((db, given: Given<RowsByColumn<typeof studies>>) =>
  db.insert(studies).select(selectGiven(studies, given)),
);

export async function insertStudies(tx: Tx, rows: StudyRow[]): Promise<void> {
  if (rows.length > 0) await newStudies(tx, byColumn(studies, rows));
}

const newStoredObjects = prepared((db, given: Given<RowsByColumn<typeof storedObjects>>) =>
  db.insert(storedObjects).select(selectGiven(storedObjects, given)),
);

export async function insertStoredObjects(tx: Tx, rows: StoredObjectRow[]): Promise<void> {
  if (rows.length > 0) await newStoredObjects(tx, byColumn(storedObjects, rows));
}

const newOrChangedSeries = prepared((db, given: Given<RowsByColumn<typeof series>>) =>
  db
    .insert(series)
    .select(selectGiven(series, given))
    .onConflictDoUpdate({
      target: [series.studyId, series.seriesInstanceUID],
      set: { manifestId: sql`excluded.manifest_id`, instanceCount: sql`excluded.instance_count` },
    }),
);

/** Adds series, or switches existing ones to their new manifest. */
export async function upsertSeries(tx: Tx, rows: SeriesRow[]): Promise<void> {
  if (rows.length > 0) await newOrChangedSeries(tx, byColumn(series, rows));
}

export async function deleteStoredObjects(tx: Tx, ids: string[]): Promise<void> {
  for (const some of chunks(ids)) await tx.delete(storedObjects).where(inArray(storedObjects.id, some));
}

/** Counts, size, modalities and status of studies, from what they now hold. */
export async function refreshStudies(tx: Tx, studyIds: string[]): Promise<void> {
  const ofStudy = sql`${series.studyId} = ${studies.id}`;
  const objectsOfStudy = sql`${storedObjects.studyId} = ${studies.id}`;
  for (const some of chunks(studyIds)) {
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

function* chunks<Item>(items: Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += ROWS_PER_STATEMENT) {
    yield items.slice(start, start + ROWS_PER_STATEMENT);
  }
}
