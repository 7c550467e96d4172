import { and, eq, inArray, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { byColumn, type RowsByColumn, selectGiven } from "../../db/given-rows.ts";
import type { OneStatement } from "../../db/one-statement.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { statementChunks } from "../../db/statement-chunks.ts";
import { closeFindings } from "../checking/findings.repo.ts";
import { type StoredObjectRow, storedObjects } from "./stored-objects.table.ts";

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

const objectsOfUpload = prepared((db, given: Given<{ uploadId: string }>) =>
  db.select().from(storedObjects).where(eq(storedObjects.uploadId, given.uploadId)).orderBy(storedObjects.id),
);

/** The objects that an upload stored, in all studies. */
export async function listObjectsOfUpload(db: DbOrTx, uploadId: string): Promise<StoredObjectRow[]> {
  return await objectsOfUpload(db, { uploadId });
}

type SomeOfUpload = { uploadId: string; ids: string[] };

/*
 * Rows are found by their upload, because PostgreSQL plans a statement with a list of ids again each time, since it expects a
 * longer list when it does not know it.
 */
const isOneOf = (given: Given<SomeOfUpload>) =>
  and(eq(storedObjects.uploadId, given.uploadId), sql`${storedObjects.id} = any(${given.ids}::uuid[])`);
const archivedObjects = prepared((db, given: Given<SomeOfUpload>) =>
  db
    .update(storedObjects)
    .set({ location: "archive" })
    .where(isOneOf(given))
    .returning({ id: storedObjects.id }),
);

/** Switches objects of an upload to the archive store; returns the ids whose study was not deleted meanwhile. */
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

const newStoredObjects = prepared((db, given: Given<RowsByColumn<typeof storedObjects>>) =>
  db.insert(storedObjects).select(selectGiven(storedObjects, given)),
);

export async function insertStoredObjects(tx: Tx | OneStatement, rows: StoredObjectRow[]): Promise<void> {
  if (rows.length > 0) await newStoredObjects(tx, byColumn(storedObjects, rows));
}

/** Deletes rows, and closes what was found about them: an upload replaced them, or they were removed. */
export async function deleteStoredObjects(
  tx: Tx,
  ids: string[],
  { healedBy, at }: { healedBy: "upload" | "removed"; at: Date },
): Promise<void> {
  await closeFindings(tx, ids, healedBy, at);
  for (const some of statementChunks(ids)) {
    await tx.delete(storedObjects).where(inArray(storedObjects.id, some));
  }
}

/** Ids of uploads with bytes in this node's staging area. */
export async function listStagedUploads(db: DbOrTx, nodeId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ uploadId: storedObjects.uploadId })
    .from(storedObjects)
    .where(eq(storedObjects.stagedOn, nodeId));
  return rows.map((row) => row.uploadId);
}
