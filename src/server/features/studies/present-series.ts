import type { Series, StorageStatus } from "../../../shared/api/studies.ts";
import { isOfDocuments } from "../../../shared/dicom/modality.ts";
import type { SeriesRow, StudyRow } from "./studies.table.ts";

/** The status to show: a study with a missing object does not count as archived. */
export function shownStatus({
  storageStatus,
  integrity,
}: Pick<StudyRow, "storageStatus" | "integrity">): StorageStatus {
  return integrity === "missing" ? "error" : storageStatus;
}

/** How many instances of these series are documents. */
export function documentsAmong(rows: readonly Pick<SeriesRow, "modality" | "instanceCount">[]): number {
  return rows
    .filter(({ modality }) => isOfDocuments(modality))
    .reduce((sum, { instanceCount }) => sum + instanceCount, 0);
}

export function presentSeries(row: SeriesRow): Series {
  return {
    id: row.id,
    seriesInstanceUID: row.seriesInstanceUID,
    seriesDescription: row.description,
    seriesNumber: row.seriesNumber,
    modality: row.modality,
    imagesReceived: row.instanceCount,
  };
}
