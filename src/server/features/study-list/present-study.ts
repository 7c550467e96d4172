import type { Study } from "../../../shared/api/studies.ts";
import type { Session } from "../../http/session.ts";
import { studyAccess } from "../studies/access/study-access.ts";
import { shownStatus } from "../studies/present-series.ts";
import type { StudyListRow } from "./study-list.repo.ts";

const genders: Record<string, Study["patientGender"]> = { M: "male", F: "female", O: "other" };

/** A study as the list shows it to this caller, who may have attached its report. */
export function presentStudy(
  { study, ownerName }: StudyListRow,
  session: Session,
  isReportByCaller: boolean,
): Study {
  return {
    id: study.id,
    studyInstanceUID: study.studyInstanceUID,
    patientName: study.patientName,
    patientID: study.patientID,
    patientBirthDate: study.patientBirthDate,
    patientGender: genders[study.patientSex ?? ""] ?? null,
    studyDescription: study.description,
    studyDate: study.studyDate,
    examinedAt:
      study.studyDate && study.studyTime ? `${study.studyDate}T${study.studyTime}` : study.studyDate,
    accessionNumber: study.accessionNumber,
    institutionName: study.institutionName,
    modality: study.modality,
    imagesReceived: study.instanceCount,
    seriesCount: study.seriesCount,
    sizeBytes: study.sizeBytes,
    storageStatus: shownStatus(study),
    integrity: study.integrity,
    verifiedAt: study.verifiedAt?.toISOString() ?? null,
    laudo: study.hasReport,
    isOverridden: study.instanceValues !== null,
    access: studyAccess(session, study, isReportByCaller),
    ownerName: study.accountId === session.userId ? null : ownerName,
    createdAt: study.createdAt.toISOString(),
  };
}
