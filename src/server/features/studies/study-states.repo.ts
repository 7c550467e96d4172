import { count } from "drizzle-orm";
import type { Db } from "../../db/client.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { type StudyRow, studies } from "./studies.table.ts";

/** How many kept studies are in each state. Reads all of them: ask seldom. */
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
