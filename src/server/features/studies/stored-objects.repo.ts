import { and, eq, inArray, ne, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { prepared } from "../../db/prepared.ts";
import { type StoredObjectRow, storedObjects, studies } from "./studies.table.ts";

const storedObject = prepared((db) =>
  db
    .select()
    .from(storedObjects)
    .where(eq(storedObjects.id, sql.placeholder("id")))
    .prepare("stored_object"),
);

export async function findStoredObject(db: DbOrTx, id: string): Promise<StoredObjectRow | undefined> {
  const [row] = await storedObject(db).execute({ id });
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

const objectsOfUpload = prepared((db) =>
  db
    .select()
    .from(storedObjects)
    .where(eq(storedObjects.uploadId, sql.placeholder("uploadId")))
    .orderBy(storedObjects.id)
    .prepare("objects_of_upload"),
);

/** What an upload stored, whichever studies it belongs to. */
export async function listObjectsOfUpload(db: DbOrTx, uploadId: string): Promise<StoredObjectRow[]> {
  return await objectsOfUpload(db).execute({ uploadId });
}

/** Switches objects to the archive store; returns those whose study has not been deleted meanwhile. */
export async function switchToArchive(tx: DbOrTx, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .update(storedObjects)
    .set({ location: "archive" })
    .where(inArray(storedObjects.id, ids))
    .returning({ id: storedObjects.id });
  return new Set(rows.map(({ id }) => id));
}

export async function forgetStagedCopies(db: DbOrTx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.update(storedObjects).set({ stagedOn: null }).where(inArray(storedObjects.id, ids));
}

/** Marks those of the studies `b2` that have nothing left in a staging area. */
export async function settleStatus(tx: Tx, studyIds: string[]): Promise<void> {
  if (studyIds.length === 0) return;
  // Locked first: an upload that commits meanwhile must be seen by the check, not only waited for.
  await lockStudies(tx, studyIds);
  const staged = sql`select 1 from ${storedObjects}
    where ${storedObjects.studyId} = ${studies.id} and ${storedObjects.location} = 'staging'`;
  await tx
    .update(studies)
    .set({ storageStatus: "b2" })
    .where(and(inArray(studies.id, studyIds), ne(studies.storageStatus, "b2"), sql`not exists (${staged})`));
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

/** `status` for those of the studies that still have bytes in a staging area; locked as by {@link lockStudies}. */
export async function setStatusOfStaged(
  db: DbOrTx,
  studyIds: string[],
  status: "transferring" | "error",
): Promise<void> {
  if (studyIds.length === 0) return;
  const staged = sql`select 1 from ${storedObjects}
    where ${storedObjects.studyId} = ${studies.id} and ${storedObjects.location} = 'staging'`;
  const locked = db
    .$with("locked")
    .as(
      db
        .select({ id: studies.id })
        .from(studies)
        .where(inArray(studies.id, studyIds))
        .orderBy(studies.id)
        .for("update"),
    );
  await db
    .with(locked)
    .update(studies)
    .set({ storageStatus: status })
    .where(and(sql`${studies.id} in (select id from ${locked})`, sql`exists (${staged})`));
}

/** Ids of uploads with bytes in this node's staging area. */
export async function listStagedUploads(db: DbOrTx, nodeId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ uploadId: storedObjects.uploadId })
    .from(storedObjects)
    .where(eq(storedObjects.stagedOn, nodeId));
  return rows.map((row) => row.uploadId);
}
