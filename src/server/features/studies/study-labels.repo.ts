import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "../../db/client.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { type SeriesRow, type StudyRow, series, studies } from "./studies.table.ts";

/** Studies whose labels are to be written again, after `afterId`. */
export async function listUnlabelled(db: Db, afterId: string, limit: number): Promise<StudyRow[]> {
  return await db
    .select()
    .from(studies)
    .where(and(sql`not ${studies.labelled}`, gt(studies.id, afterId)))
    .orderBy(studies.id)
    .limit(limit);
}

/** The smallest manifest in force of a study. */
export async function findSmallestManifest(
  db: DbOrTx,
  studyId: string,
): Promise<{ row: SeriesRow; manifest: StoredObjectRow } | undefined> {
  const [found] = await db
    .select({ row: series, manifest: storedObjects })
    .from(series)
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .where(eq(series.studyId, studyId))
    .orderBy(asc(storedObjects.sizeBytes), asc(series.id))
    .limit(1);
  return found;
}

/** Switches a series to another manifest of the same instances; returns `false` if `before` is not in force any more. */
export async function switchManifest(tx: Tx, before: string, manifestId: string): Promise<boolean> {
  const rows = await tx
    .update(series)
    .set({ manifestId })
    .where(eq(series.manifestId, before))
    .returning({ id: series.id });
  return rows.length === 1;
}

/** Has up to `limit` studies of an account labelled again; returns how many. */
export async function markUnlabelled(db: Db, accountId: string, limit: number): Promise<number> {
  const some = db
    .select({ id: studies.id })
    .from(studies)
    .where(and(eq(studies.accountId, accountId), studies.labelled))
    .orderBy(studies.id)
    .limit(limit)
    .for("update");
  const rows = await db
    .update(studies)
    .set({ labelled: false })
    .where(inArray(studies.id, some))
    .returning({ id: studies.id });
  return rows.length;
}

export async function markLabelled(tx: Tx, studyId: string): Promise<void> {
  await tx.update(studies).set({ labelled: true }).where(eq(studies.id, studyId));
}
