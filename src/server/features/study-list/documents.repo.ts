import { and, inArray, sum } from "drizzle-orm";
import { DOCUMENT_MODALITIES, isOfDocuments } from "../../../shared/dicom/modality.ts";
import type { DbOrTx } from "../../db/client.ts";
import { type StudyRow, series } from "../studies/studies.table.ts";

/**
 * Counts the instances of each study that are documents, such as a PDF that came among the images; leaves out studies without any. Most
 * studies have no modality of documents, and it reads nothing for them.
 */
export async function countDocuments(
  db: DbOrTx,
  studies: readonly Pick<StudyRow, "id" | "modality">[],
): Promise<ReadonlyMap<string, number>> {
  const ids = studies.filter(({ modality }) => modality?.split("\\").some(isOfDocuments)).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ studyId: series.studyId, documents: sum(series.instanceCount).mapWith(Number) })
    .from(series)
    .where(and(inArray(series.studyId, ids), inArray(series.modality, [...DOCUMENT_MODALITIES])))
    .groupBy(series.studyId);
  return new Map(rows.map(({ studyId, documents }) => [studyId, documents]));
}
