import { and, desc, eq, gt, inArray, sql } from "drizzle-orm";
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

/** As {@link listLabExams}, including exams that wait to be purged, since their bytes still exist. */
export async function listAllLabExams(db: DbOrTx, accountId: string): Promise<LabExamRow[]> {
  return await db
    .select()
    .from(labExams)
    .where(eq(labExams.accountId, accountId))
    .orderBy(desc(labExams.createdAt), desc(labExams.id))
    .limit(20_000);
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

/** Counts the lab exams of all accounts. */
export async function countLabExams(db: DbOrTx): Promise<number> {
  return await db.$count(labExams, isKept(labExams));
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

/** Clears the mark of an exam whose bytes were found correct (`ok`) or present again (`unchecked`). */
export async function clearLabMark(db: DbOrTx, id: string, found: "ok" | "unchecked"): Promise<boolean> {
  const marks = found === "ok" ? (["damaged", "missing"] as const) : (["missing"] as const);
  const rows = await db
    .update(labExams)
    .set({ integrity: found })
    .where(and(eq(labExams.id, id), inArray(labExams.integrity, marks)))
    .returning({ id: labExams.id });
  return rows.length === 1;
}
