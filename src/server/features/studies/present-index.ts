import type { Study } from "../../../shared/api/studies.ts";
import { shownStatus } from "./present-series.ts";
import type { StudyRow } from "./studies.table.ts";

/** A map, because an instance may have any text here: `constructor` is a member of each object. */
const genders = new Map<string, Study["patientGender"]>([
  ["M", "male"],
  ["F", "female"],
  ["O", "other"],
]);

/** What the index says of a study, the same for everybody who may see it. */
export function presentIndex(study: StudyRow) {
  const { studyDate, studyTime } = study;
  return {
    id: study.id,
    studyInstanceUID: study.studyInstanceUID,
    patientName: study.patientName,
    patientBirthDate: study.patientBirthDate,
    patientGender: genders.get(study.patientSex ?? "") ?? null,
    studyDescription: study.description,
    studyDate,
    examinedAt: studyDate && studyTime ? `${studyDate}T${studyTime}` : studyDate,
    institutionName: study.institutionName,
    modality: study.modality,
    imagesReceived: study.instanceCount,
    seriesCount: study.seriesCount,
    sizeBytes: study.sizeBytes,
    storageStatus: shownStatus(study),
  };
}
