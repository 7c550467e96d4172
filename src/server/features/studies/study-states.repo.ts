import { count } from "drizzle-orm";
import type { Db } from "../../db/client.ts";
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
