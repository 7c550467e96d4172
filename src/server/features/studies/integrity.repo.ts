import { and, count, eq, gt, gte, inArray, ne, or, sql, sum } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "../../db/client.ts";
import type { Damage } from "../../holdings/checking/integrity.ts";
import type { ExpectedObject, ObjectPlace, OwnedObject } from "../../holdings/object-owners.ts";
import { findStoredObject } from "../../holdings/objects/stored-objects.repo.ts";
import { type Integrity, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { uploadOfKey } from "../../holdings/objects/upload-of-key.ts";
import { studies } from "./studies.table.ts";

/** The study of an object; undefined when the object is gone. */
export async function findStudyOfObject(db: DbOrTx, objectId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ studyId: storedObjects.studyId })
    .from(storedObjects)
    .where(eq(storedObjects.id, objectId));
  return row?.studyId;
}

/** Marks a study; returns `false` when it has the same mark or a worse one already. */
export async function markStudy(tx: Tx, studyId: string, found: Damage, at: Date): Promise<boolean> {
  const isNew = found === "missing" ? ne(studies.integrity, "missing") : isSound();
  const rows = await tx
    .update(studies)
    .set({ integrity: found, verifiedAt: at })
    .where(and(eq(studies.id, studyId), isNew))
    .returning({ id: studies.id });
  return rows.length === 1;
}

function isSound() {
  return inArray(studies.integrity, ["unchecked", "ok"]);
}

/** Saves what reading all bytes of a study found. */
export async function saveIntegrity(
  db: DbOrTx,
  studyId: string,
  found: Integrity,
  verifiedAt: Date | null,
): Promise<void> {
  await db.update(studies).set({ integrity: found, verifiedAt }).where(eq(studies.id, studyId));
}

/**
 * Objects in the archive store after `after`, ordered as a store lists them. Keys begin with the id of their upload, so the index
 * on uploads finds each page.
 */
export async function listArchivedObjects(
  db: Db,
  after: Pick<ExpectedObject, "key"> | undefined,
  limit: number,
): Promise<ExpectedObject[]> {
  const { id, studyId, uploadId, kind, key, sizeBytes, location } = storedObjects;
  const byteOrder = sql`${key} collate "C"`;
  return await db
    .select({ id, ownerId: studyId, kind, key, sizeBytes, integrity: studies.integrity })
    .from(storedObjects)
    .innerJoin(studies, eq(studies.id, studyId))
    .where(
      and(
        eq(location, "archive"),
        after && gte(uploadId, uploadOfKey(after.key)),
        after && or(gt(uploadId, uploadOfKey(after.key)), gt(byteOrder, after.key)),
      ),
    )
    .orderBy(uploadId, byteOrder)
    .limit(limit);
}

export async function findObjectOfStudy(db: DbOrTx, objectId: string): Promise<OwnedObject | undefined> {
  const row = await findStoredObject(db, objectId);
  return row && { ...row, ownerId: row.studyId };
}

/** Objects after `after`, by study, then by object, wherever they are. */
export async function listObjectsByStudy(
  db: Db,
  after: ObjectPlace | undefined,
  limit: number,
): Promise<OwnedObject[]> {
  const { id, studyId } = storedObjects;
  const rows = await db
    .select()
    .from(storedObjects)
    .where(after && and(gte(studyId, after.ownerId), or(gt(studyId, after.ownerId), gt(id, after.objectId))))
    .orderBy(studyId, id)
    .limit(limit);
  return rows.map((row) => ({ ...row, ownerId: row.studyId }));
}

export async function measureObjects(db: DbOrTx): Promise<{ objects: number; bytes: number }> {
  const [row] = await db
    .select({ objects: count(), bytes: sum(storedObjects.sizeBytes).mapWith(Number) })
    .from(storedObjects);
  return { objects: row?.objects ?? 0, bytes: row?.bytes ?? 0 };
}

/** Whether any study of an account is damaged or missing. */
export async function hasUnsoundStudy(db: DbOrTx, accountId: string): Promise<boolean> {
  const rows = await db
    .select({ id: studies.id })
    .from(studies)
    .where(and(eq(studies.accountId, accountId), inArray(studies.integrity, ["damaged", "missing"])))
    .limit(1);
  return rows.length === 1;
}

/** Marks a missing study as unchecked; returns `false` when it is not missing any more. */
export async function takeBackMissing(tx: Tx, studyId: string): Promise<boolean> {
  const rows = await tx
    .update(studies)
    .set({ integrity: "unchecked", verifiedAt: null })
    .where(and(eq(studies.id, studyId), eq(studies.integrity, "missing")))
    .returning({ id: studies.id });
  return rows.length === 1;
}
