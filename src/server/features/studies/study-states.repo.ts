import { and, count, gte, sum } from "drizzle-orm";
import type { Db, DbOrTx } from "../../db/client.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { type StudyRow, studies } from "./studies.table.ts";

/** Counts the kept studies in each state. It reads all of them, so call it seldom. */
export async function countStudyStates(
  db: Db,
): Promise<(Pick<StudyRow, "storageStatus" | "integrity"> & { studies: number })[]> {
  const { storageStatus, integrity } = studies;
  return await db
    .select({ storageStatus, integrity, studies: count() })
    .from(studies)
    .where(isKept(studies))
    .groupBy(storageStatus, integrity);
}

/** How many kept studies came since then, and their bytes. */
export async function measureStudiesSince(
  db: DbOrTx,
  since: Date,
): Promise<{ exams: number; bytes: number }> {
  const [row] = await db
    .select({ exams: count(), bytes: sum(studies.sizeBytes).mapWith(Number) })
    .from(studies)
    .where(and(isKept(studies), gte(studies.createdAt, since)));
  return { exams: row?.exams ?? 0, bytes: row?.bytes ?? 0 };
}
