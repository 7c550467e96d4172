import { and, eq, inArray } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { reports } from "./reports.table.ts";

export type ReportRow = typeof reports.$inferSelect;

export async function findReport(
  db: DbOrTx,
  studyId: string,
): Promise<{ report: ReportRow; object: StoredObjectRow } | undefined> {
  const [row] = await db
    .select({ report: reports, object: storedObjects })
    .from(reports)
    .innerJoin(storedObjects, eq(storedObjects.id, reports.objectId))
    .where(eq(reports.studyId, studyId));
  return row;
}

/** When the reports of some studies were attached, and their sizes. */
export async function listReportsOf(
  db: DbOrTx,
  studyIds: string[],
): Promise<{ studyId: string; createdAt: Date; sizeBytes: number }[]> {
  if (studyIds.length === 0) return [];
  return await db
    .select({
      studyId: reports.studyId,
      createdAt: reports.createdAt,
      sizeBytes: storedObjects.sizeBytes,
    })
    .from(reports)
    .innerJoin(storedObjects, eq(storedObjects.id, reports.objectId))
    .where(inArray(reports.studyId, studyIds));
}

/** The studies among `studyIds` whose report this account attached. */
export async function findReportsBy(db: DbOrTx, userId: string, studyIds: string[]): Promise<Set<string>> {
  if (studyIds.length === 0) return new Set();
  const rows = await db
    .select({ studyId: reports.studyId })
    .from(reports)
    .where(and(eq(reports.uploadedBy, userId), inArray(reports.studyId, studyIds)));
  return new Set(rows.map((row) => row.studyId));
}

export async function insertReport(tx: Tx, report: typeof reports.$inferInsert): Promise<void> {
  await tx.insert(reports).values(report);
}
