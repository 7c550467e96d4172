import type { Series, StorageStatus } from "../../../shared/api/studies.ts";
import type { SeriesRow, StudyRow } from "./studies.table.ts";

/** Where an object is gone, the study is not in the archive store, whatever was moved there. */
export function shownStatus({
  storageStatus,
  integrity,
}: Pick<StudyRow, "storageStatus" | "integrity">): StorageStatus {
  return integrity === "missing" ? "error" : storageStatus;
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
