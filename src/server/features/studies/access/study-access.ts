import type { StudyAccess } from "../../../../shared/api/studies.ts";
import type { Session } from "../../../http/session.ts";
import type { Caller } from "../studies.repo.ts";
import type { StudyRow } from "../studies.table.ts";

/** Whether the caller may delete and share the study, as its owner or an admin. */
export function owns(caller: Caller, study: Pick<StudyRow, "accountId">): boolean {
  return study.accountId === caller.userId || caller.role === "admin";
}

/** Whether the caller may download the study: its owner, an admin, or a grantee of role `user`. */
export function mayDownload(caller: Caller, study: Pick<StudyRow, "accountId">): boolean {
  return owns(caller, study) || caller.role === "user";
}

/** Whether the caller may delete the report: the study's owner, an admin, or the account that attached it. */
export function mayDeleteReport(
  caller: Caller,
  study: Pick<StudyRow, "accountId">,
  isAttachedByCaller: boolean,
): boolean {
  return owns(caller, study) || isAttachedByCaller;
}

/**
 * The actions that the list offers, and the calls allow, on a study that the caller may see. Downloads and deletes are counted and
 * so need a subscription; only the call says whether the month's actions are used up.
 */
export function studyAccess(
  session: Session,
  study: Pick<StudyRow, "accountId" | "hasReport">,
  isReportByCaller: boolean,
): StudyAccess {
  const { hasActiveSubscription } = session;
  return {
    download: hasActiveSubscription && mayDownload(session, study),
    delete: hasActiveSubscription && owns(session, study),
    share: owns(session, study),
    attachReport: !study.hasReport,
    deleteReport: study.hasReport && mayDeleteReport(session, study, isReportByCaller),
  };
}
