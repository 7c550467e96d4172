import { and, eq, inArray, ne, not, sql } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { takeDerivativesOf } from "../../holdings/derivatives/derivatives.repo.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { type StudyRow, studies } from "./studies.table.ts";

type OfUpload = { uploadId: string };

/** Keys of everything an account stores, whose deletion follows in the same transaction. */
export async function takeObjectsOfAccount(
  tx: Tx,
  accountId: string,
): Promise<Pick<StoredObjectRow, "key" | "stagedOn">[]> {
  const objects = await tx
    .select({ key: storedObjects.key, stagedOn: storedObjects.stagedOn })
    .from(storedObjects)
    .innerJoin(studies, eq(studies.id, storedObjects.studyId))
    .where(eq(studies.accountId, accountId));
  const owned = await tx.select({ id: studies.id }).from(studies).where(eq(studies.accountId, accountId));
  const copies = await takeDerivativesOf(
    tx,
    owned.map(({ id }) => id),
  );
  return [...objects, ...copies];
}

/** The accounts of those among the keys that a study's row names. */
export async function findAccountsOfKeys(db: DbOrTx, keys: string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .select({ key: storedObjects.key, accountId: studies.accountId })
    .from(storedObjects)
    .innerJoin(studies, eq(studies.id, storedObjects.studyId))
    .where(inArray(storedObjects.key, keys));
  return new Map(rows.map(({ key, accountId }) => [key, accountId]));
}

const isOfUpload = (given: Given<OfUpload>) =>
  sql`${studies.id} in (select ${storedObjects.studyId} from ${storedObjects}
    where ${eq(storedObjects.uploadId, given.uploadId)})`;

/** Whether a study has bytes in a staging area. */
const isStaged = sql`exists (select 1 from ${storedObjects}
  where ${storedObjects.studyId} = ${studies.id} and ${storedObjects.location} = 'staging')`;

const archivedStudies = prepared((db, given: Given<OfUpload>) =>
  db
    .update(studies)
    .set({ storageStatus: "b2" })
    .where(and(isOfUpload(given), ne(studies.storageStatus, "b2"), not(isStaged))),
);

/**
 * Marks an upload's studies `b2` if they have nothing left in a staging area. The caller locks them before, in its own statement,
 * so that the check sees an upload that commits meanwhile.
 */
export async function settleStatus(tx: Tx, uploadId: string): Promise<void> {
  await archivedStudies(tx, { uploadId });
}

const studiesOfUpload = (db: Db, given: Given<OfUpload>) =>
  db.select({ id: studies.id }).from(studies).where(isOfUpload(given)).orderBy(studies.id).for("update");

const lockedStudiesOfUpload = prepared(studiesOfUpload);

/** Locks the studies to which an upload brought something, as {@link lockStudies} does. */
export async function lockStudiesOfUpload(tx: Tx, uploadId: string): Promise<void> {
  await lockedStudiesOfUpload(tx, { uploadId });
}

/** Locks studies until the transaction ends, always in the same order; skips those deleted meanwhile. */
export async function lockStudies(tx: Tx, ids: string[]): Promise<void> {
  await tx
    .select({ id: studies.id })
    .from(studies)
    .where(inArray(studies.id, ids))
    .orderBy(studies.id)
    .for("update");
}

/** Locks all studies of an account, including removed ones, so that nothing is added to them meanwhile. */
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

/** Sets `status` on an upload's studies that still have bytes in a staging area; locks them as {@link lockStudies} does. */
export async function setStatusOfStaged(
  db: DbOrTx,
  uploadId: string,
  status: "transferring" | "error",
): Promise<void> {
  await stagedStudies(db, { uploadId, status });
}

/** Those among `ids` whose transfer to the archive store failed. */
export async function listFailedStudies(tx: Tx, ids: readonly string[]): Promise<Pick<StudyRow, "id">[]> {
  if (ids.length === 0) return [];
  return await tx
    .select({ id: studies.id })
    .from(studies)
    .where(and(inArray(studies.id, [...ids]), eq(studies.storageStatus, "error")));
}
