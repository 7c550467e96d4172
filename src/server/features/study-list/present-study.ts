import type { Study } from "../../../shared/api/studies.ts";
import type { Session } from "../../http/session.ts";
import { studyAccess } from "../studies/access/study-access.ts";
import { presentIndex } from "../studies/present-index.ts";
import type { StudyListRow } from "./study-list.repo.ts";

/** What is known of a study beside its row. */
interface Beside {
  isReportByCaller: boolean;
  /** How many of its instances are documents. */
  documents: number | undefined;
}

/** A study as the list shows it to this caller, who may have attached its report. */
export function presentStudy(
  { study, ownerName }: StudyListRow,
  session: Session,
  { isReportByCaller, documents }: Beside,
): Study {
  return {
    ...presentIndex(study),
    ...(documents !== undefined && { documentsReceived: documents }),
    patientID: study.patientID,
    accessionNumber: study.accessionNumber,
    integrity: study.integrity,
    verifiedAt: study.verifiedAt?.toISOString() ?? null,
    laudo: study.hasReport,
    isOverridden: study.instanceValues !== null,
    access: studyAccess(session, study, isReportByCaller),
    ownerName: study.accountId === session.userId ? null : ownerName,
    receivedFrom: study.receivedFrom,
    createdAt: study.createdAt.toISOString(),
  };
}
