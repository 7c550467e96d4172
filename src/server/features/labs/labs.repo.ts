import { and, count, desc, eq, gt, inArray, lt, sql, sum } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { labExams } from "./labs.table.ts";

export type LabExamRow = typeof labExams.$inferSelect;

/** An account's own exams, newest first; at most 10,000. */
export async function listLabExams(db: DbOrTx, accountId: string): Promise<LabExamRow[]> {
  return await db
    .select()
    .from(labExams)
    .where(and(isKept(labExams), eq(labExams.accountId, accountId)))
    .orderBy(desc(labExams.createdAt), desc(labExams.id))
    .limit(10_000);
}

/** As {@link listLabExams}, before the exam `beforeId`, including exams that wait to be purged, since their bytes still exist. */
export async function listLabExamsBefore(
  db: DbOrTx,
  accountId: string,
  beforeId: string | undefined,
  limit: number,
): Promise<LabExamRow[]> {
  // Ids grow with time.
  const isBefore = beforeId === undefined ? undefined : lt(labExams.id, beforeId);
  return await db
    .select()
    .from(labExams)
    .where(and(eq(labExams.accountId, accountId), isBefore))
    .orderBy(desc(labExams.id))
    .limit(limit);
}

export async function findLabExam(
  db: DbOrTx,
  accountId: string,
  id: string,
): Promise<LabExamRow | undefined> {
  const [row] = await db
    .select()
    .from(labExams)
    .where(and(isKept(labExams), eq(labExams.id, id), eq(labExams.accountId, accountId)));
  return row;
}

/** The exam that an account sent under this key. */
export async function findLabExamSentAs(
  db: DbOrTx,
  accountId: string,
  idempotencyKey: string,
): Promise<LabExamRow | undefined> {
  const isSame = and(eq(labExams.accountId, accountId), eq(labExams.idempotencyKey, idempotencyKey));
  const [row] = await db.select().from(labExams).where(isSame);
  return row;
}

/** An exam of any account, also one that waits to be purged, whose bytes still exist. */
export async function findLabExamOfAnyone(db: DbOrTx, id: string): Promise<LabExamRow | undefined> {
  const [row] = await db.select().from(labExams).where(eq(labExams.id, id));
  return row;
}

/** Exams of all accounts after `afterId`, by id. */
export async function listLabExamsById(
  db: DbOrTx,
  afterId: string | null,
  limit: number,
): Promise<LabExamRow[]> {
  return await db
    .select()
    .from(labExams)
    .where(afterId === null ? undefined : gt(labExams.id, afterId))
    .orderBy(labExams.id)
    .limit(limit);
}

/** How many exams there are, and their bytes. */
export async function measureLabExams(db: DbOrTx): Promise<{ objects: number; bytes: number }> {
  const [row] = await db
    .select({ objects: count(), bytes: sum(labExams.sizeBytes).mapWith(Number) })
    .from(labExams);
  return { objects: row?.objects ?? 0, bytes: row?.bytes ?? 0 };
}

/** Saves what reading all bytes of an exam found. */
export async function saveLabIntegrity(
  db: DbOrTx,
  id: string,
  integrity: LabExamRow["integrity"],
): Promise<void> {
  await db.update(labExams).set({ integrity }).where(eq(labExams.id, id));
}

/** Counts the lab exams of all accounts. */
export async function countLabExams(db: DbOrTx): Promise<number> {
  return await db.$count(labExams, isKept(labExams));
}

/** How many kept exams have bytes that were found damaged or missing. */
export async function countUnsoundLabExams(db: DbOrTx): Promise<{ damaged: number; missing: number }> {
  const { integrity } = labExams;
  const rows = await db
    .select({ integrity, exams: count() })
    .from(labExams)
    .where(and(isKept(labExams), inArray(integrity, ["damaged", "missing"])))
    .groupBy(integrity);
  const examsThat = (found: LabExamRow["integrity"]) =>
    rows.find((row) => row.integrity === found)?.exams ?? 0;
  return { damaged: examsThat("damaged"), missing: examsThat("missing") };
}

export async function insertLabExam(tx: Tx, row: typeof labExams.$inferInsert): Promise<void> {
  await tx.insert(labExams).values(row);
}

/** Deletes an exam's row and returns it; `undefined` if another call deleted it first. */
export async function deleteLabExamRow(
  tx: Tx,
  accountId: string,
  id: string,
): Promise<LabExamRow | undefined> {
  const [row] = await tx
    .delete(labExams)
    .where(and(isKept(labExams), eq(labExams.id, id), eq(labExams.accountId, accountId)))
    .returning();
  return row;
}

/** Records what reading its bytes found; returns `undefined` if the exam is gone, `false` if the same was recorded before. */
export async function markLabExam(
  tx: Tx,
  id: string,
  found: "damaged" | "missing",
): Promise<boolean | undefined> {
  const [exam] = await tx
    .select({ integrity: labExams.integrity })
    .from(labExams)
    .where(eq(labExams.id, id))
    .for("update");
  if (!exam) return undefined;
  if (exam.integrity === "damaged" || exam.integrity === "missing") return false;
  await tx.update(labExams).set({ integrity: found }).where(eq(labExams.id, id));
  return true;
}

/** Keys of all lab exams of an account, including those that wait to be purged. */
export async function listLabKeys(db: DbOrTx, accountId: string): Promise<string[]> {
  const rows = await db.select({ key: labExams.key }).from(labExams).where(eq(labExams.accountId, accountId));
  return rows.map((row) => row.key);
}

/** Lab exams of all accounts after `afterKey`, in the order in which a store lists their keys. */
export async function listLabExamsByKey(db: DbOrTx, afterKey: string, limit: number): Promise<LabExamRow[]> {
  const byteOrder = sql`${labExams.key} collate "C"`;
  return await db.select().from(labExams).where(gt(byteOrder, afterKey)).orderBy(byteOrder).limit(limit);
}

/** Clears the mark of a missing exam whose bytes are present again. */
export async function clearLabMark(db: DbOrTx, id: string): Promise<boolean> {
  const rows = await db
    .update(labExams)
    .set({ integrity: "unchecked" })
    .where(and(eq(labExams.id, id), eq(labExams.integrity, "missing")))
    .returning({ id: labExams.id });
  return rows.length === 1;
}
