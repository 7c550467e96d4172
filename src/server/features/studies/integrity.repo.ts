import { and, eq, gt, gte, inArray, ne, notExists, or, sql } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { type Integrity, objectSums, type StoredObjectRow, storedObjects, studies } from "./studies.table.ts";

/** What reading found wrong. */
export type Damage = Extract<Integrity, "damaged" | "missing">;

/** Whether bytes of a study were found damaged or gone. */
export function isUnsound({ integrity }: { integrity: Integrity }): boolean {
  return integrity === "damaged" || integrity === "missing";
}

const sumsOfObject = prepared((db, given: Given<{ id: string }>) =>
  db.select({ crc32s: objectSums.crc32s }).from(objectSums).where(eq(objectSums.objectId, given.id)),
);

export async function findObjectSums(db: DbOrTx, id: string): Promise<Uint8Array | undefined> {
  const [row] = await sumsOfObject(db, { id });
  return row?.crc32s;
}

const newObjectSums = prepared((db, given: Given<{ id: string; crc32s: string }>) =>
  db
    .insert(objectSums)
    .select(
      sql`select id, decode(${given.crc32s}::text, 'hex') from ${storedObjects} where id = ${given.id}::uuid`,
    )
    .onConflictDoNothing(),
);

/** Keeps the sums of an object; none where it was deleted meanwhile. */
export async function saveObjectSums(db: DbOrTx, id: string, crc32s: Uint8Array): Promise<void> {
  await newObjectSums(db, { id, crc32s: Buffer.from(crc32s).toString("hex") });
}

/** Volumes in the archive store that were never read whole since sums are kept, by id after `afterId`. */
export async function listVolumesWithoutSums(
  db: Db,
  afterId: string | null,
  limit: number,
): Promise<StoredObjectRow[]> {
  return await db
    .select()
    .from(storedObjects)
    .where(
      and(
        eq(storedObjects.kind, "volume"),
        eq(storedObjects.location, "archive"),
        ...(afterId ? [gt(storedObjects.id, afterId)] : []),
        notExists(
          db.select({ one: sql`1` }).from(objectSums).where(eq(objectSums.objectId, storedObjects.id)),
        ),
      ),
    )
    .orderBy(storedObjects.id)
    .limit(limit);
}

/** The study of an object; undefined where the object is gone. */
export async function findStudyOfObject(db: DbOrTx, objectId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ studyId: storedObjects.studyId })
    .from(storedObjects)
    .where(eq(storedObjects.id, objectId));
  return row?.studyId;
}

/** Marks a study; `false` where it is marked so already, or worse. */
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

/** What a study's bytes were found to be when all of them were read. */
export async function saveIntegrity(
  db: DbOrTx,
  studyId: string,
  found: Integrity,
  verifiedAt: Date | null,
): Promise<void> {
  await db.update(studies).set({ integrity: found, verifiedAt }).where(eq(studies.id, studyId));
}

/** Studies found damaged or missing since `since`; at most `limit`. */
export async function countDamagedSince(db: DbOrTx, since: Date, limit: number): Promise<number> {
  const rows = await db
    .select({ id: studies.id })
    .from(studies)
    .where(and(inArray(studies.integrity, ["damaged", "missing"]), gt(studies.verifiedAt, since)))
    .limit(limit);
  return rows.length;
}

export interface ArchivedObject
  extends Pick<StoredObjectRow, "id" | "studyId" | "uploadId" | "kind" | "key" | "sizeBytes"> {
  /** What is known of its study. */
  integrity: Integrity;
}

/**
 * Objects that the archive store holds, behind `after`, in the order in which a store lists them: keys begin with the id of
 * their upload, so that its index finds each page.
 */
export async function listArchivedObjects(
  db: Db,
  after: Pick<ArchivedObject, "uploadId" | "key"> | undefined,
  limit: number,
): Promise<ArchivedObject[]> {
  const { id, studyId, uploadId, kind, key, sizeBytes, location } = storedObjects;
  const byteOrder = sql`${key} collate "C"`;
  return await db
    .select({ id, studyId, uploadId, kind, key, sizeBytes, integrity: studies.integrity })
    .from(storedObjects)
    .innerJoin(studies, eq(studies.id, studyId))
    .where(
      and(
        eq(location, "archive"),
        after && gte(uploadId, after.uploadId),
        after && or(gt(uploadId, after.uploadId), gt(byteOrder, after.key)),
      ),
    )
    .orderBy(uploadId, byteOrder)
    .limit(limit);
}

/** Whether something of an account is damaged or gone. */
export async function hasUnsoundStudy(db: DbOrTx, accountId: string): Promise<boolean> {
  const rows = await db
    .select({ id: studies.id })
    .from(studies)
    .where(and(eq(studies.accountId, accountId), inArray(studies.integrity, ["damaged", "missing"])))
    .limit(1);
  return rows.length === 1;
}

/** A study that was missing has yet to be read; `false` where it is no longer missing. */
export async function takeBackMissing(tx: Tx, studyId: string): Promise<boolean> {
  const rows = await tx
    .update(studies)
    .set({ integrity: "unchecked", verifiedAt: null })
    .where(and(eq(studies.id, studyId), eq(studies.integrity, "missing")))
    .returning({ id: studies.id });
  return rows.length === 1;
}
