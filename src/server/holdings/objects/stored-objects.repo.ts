import { and, eq, inArray, ne, not, sql } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { type StoredObjectRow, storedObjects, studies } from "../../features/studies/studies.table.ts";

const storedObject = prepared((db, given: Given<{ id: string }>) =>
  db.select().from(storedObjects).where(eq(storedObjects.id, given.id)),
);

export async function findStoredObject(db: DbOrTx, id: string): Promise<StoredObjectRow | undefined> {
  const [row] = await storedObject(db, { id });
  return row;
}

/** The volumes of a study, oldest first: the order of a download. */
export async function listVolumes(db: DbOrTx, studyId: string): Promise<StoredObjectRow[]> {
  return await db
    .select()
    .from(storedObjects)
    .where(and(eq(storedObjects.studyId, studyId), eq(storedObjects.kind, "volume")))
    .orderBy(storedObjects.id);
}

export async function listStoredObjects(db: DbOrTx, studyId: string): Promise<StoredObjectRow[]> {
  return await db.select().from(storedObjects).where(eq(storedObjects.studyId, studyId));
}

/** Keys of everything an account stores. */
export async function listObjectsOfAccount(
  db: DbOrTx,
  accountId: string,
): Promise<Pick<StoredObjectRow, "key" | "stagedOn">[]> {
  return await db
    .select({ key: storedObjects.key, stagedOn: storedObjects.stagedOn })
    .from(storedObjects)
    .innerJoin(studies, eq(studies.id, storedObjects.studyId))
    .where(eq(studies.accountId, accountId));
}

const objectsOfUpload = prepared((db, given: Given<{ uploadId: string }>) =>
  db.select().from(storedObjects).where(eq(storedObjects.uploadId, given.uploadId)).orderBy(storedObjects.id),
);

/** What an upload stored, whichever studies it belongs to. */
export async function listObjectsOfUpload(db: DbOrTx, uploadId: string): Promise<StoredObjectRow[]> {
  return await objectsOfUpload(db, { uploadId });
}

type OfUpload = { uploadId: string };
type SomeOfUpload = OfUpload & { ids: string[] };

/*
 * Found by their upload: a statement that finds rows by a list of ids is planned anew each time, since PostgreSQL expects
 * more of a list that it does not know.
 */
const isOneOf = (given: Given<SomeOfUpload>) =>
  and(eq(storedObjects.uploadId, given.uploadId), sql`${storedObjects.id} = any(${given.ids}::uuid[])`);
const isOfUpload = (given: Given<OfUpload>) =>
  sql`${studies.id} in (select ${storedObjects.studyId} from ${storedObjects}
    where ${eq(storedObjects.uploadId, given.uploadId)})`;

/** Has bytes in a staging area. */
const isStaged = sql`exists (select 1 from ${storedObjects}
  where ${storedObjects.studyId} = ${studies.id} and ${storedObjects.location} = 'staging')`;

const archivedObjects = prepared((db, given: Given<SomeOfUpload>) =>
  db
    .update(storedObjects)
    .set({ location: "archive" })
    .where(isOneOf(given))
    .returning({ id: storedObjects.id }),
);

/** Switches objects of an upload to the archive store; returns those whose study has not been deleted meanwhile. */
export async function switchToArchive(tx: Tx, uploadId: string, ids: string[]): Promise<Set<string>> {
  const rows = await archivedObjects(tx, { uploadId, ids });
  return new Set(rows.map(({ id }) => id));
}

const unstagedObjects = prepared((db, given: Given<SomeOfUpload>) =>
  db.update(storedObjects).set({ stagedOn: null }).where(isOneOf(given)),
);

export async function forgetStagedCopies(db: DbOrTx, uploadId: string, ids: string[]): Promise<void> {
  if (ids.length > 0) await unstagedObjects(db, { uploadId, ids });
}

const archivedStudies = prepared((db, given: Given<OfUpload>) =>
  db
    .update(studies)
    .set({ storageStatus: "b2" })
    .where(and(isOfUpload(given), ne(studies.storageStatus, "b2"), not(isStaged))),
);

/**
 * Marks those of an upload's studies `b2` that have nothing left in a staging area. They are locked before: an upload that
 * commits meanwhile must be seen by the check, not only waited for.
 */
export async function settleStatus(tx: Tx, uploadId: string): Promise<void> {
  await archivedStudies(tx, { uploadId });
}

const studiesOfUpload = (db: Db, given: Given<OfUpload>) =>
  db.select({ id: studies.id }).from(studies).where(isOfUpload(given)).orderBy(studies.id).for("update");

const lockedStudiesOfUpload = prepared(studiesOfUpload);

/** As {@link lockStudies}, those to which an upload brought something. */
export async function lockStudiesOfUpload(tx: Tx, uploadId: string): Promise<void> {
  await lockedStudiesOfUpload(tx, { uploadId });
}

/** Locks studies until the transaction ends, always in the same order; those deleted meanwhile are passed over. */
export async function lockStudies(tx: Tx, ids: string[]): Promise<void> {
  await tx
    .select({ id: studies.id })
    .from(studies)
    .where(inArray(studies.id, ids))
    .orderBy(studies.id)
    .for("update");
}

/** Locks everything an account has, removed studies too, so that nothing is added to it meanwhile. */
export async function lockStudiesOfAccount(tx: Tx, accountId: string): Promise<void> {
  await tx
    .select({ id: studies.id })
    .from(studies)
    .where(eq(studies.accountId, accountId))
    .orderBy(studies.id)
    .for("update");
}

const stagedStudies = prepared((db, given: Given<OfUpload & { status: "transferring" | "error" }>) => {
  const locked = db.$with("locked").as(studiesOfUpload(db, given));
  return db
    .with(locked)
    .update(studies)
    .set({ storageStatus: sql`${given.status}` })
    .where(and(sql`${studies.id} in (select id from ${locked})`, isStaged));
});

/** `status` for those of an upload's studies that still have bytes in a staging area; locked as by {@link lockStudies}. */
export async function setStatusOfStaged(
  db: DbOrTx,
  uploadId: string,
  status: "transferring" | "error",
): Promise<void> {
  await stagedStudies(db, { uploadId, status });
}

/** Ids of uploads with bytes in this node's staging area. */
export async function listStagedUploads(db: DbOrTx, nodeId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ uploadId: storedObjects.uploadId })
    .from(storedObjects)
    .where(eq(storedObjects.stagedOn, nodeId));
  return rows.map((row) => row.uploadId);
}
