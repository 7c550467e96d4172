import type { StudyAccess } from "../../../../shared/api/studies.ts";
import type { Session } from "../../../http/session.ts";
import type { Caller } from "../studies.repo.ts";
import type { StudyRow } from "../studies.table.ts";

/** Whether the study is the caller's to delete and to share: an admin stands in for every owner. */
export function owns(caller: Caller, study: Pick<StudyRow, "accountId">): boolean {
  return study.accountId === caller.userId || caller.role === "admin";
}

/** Its owner, an admin, or a grantee of role `user`. */
export function mayDownload(caller: Caller, study: Pick<StudyRow, "accountId">): boolean {
  return owns(caller, study) || caller.role === "user";
}

/** Its owner, an admin, or whoever attached it. */
export function mayDeleteReport(
  caller: Caller,
  study: Pick<StudyRow, "accountId">,
  isAttachedByCaller: boolean,
): boolean {
  return owns(caller, study) || isAttachedByCaller;
}

/**
 * What a study that the caller may see can be asked for: the list offers it, and the calls answer it. Downloads and
 * deletes count, hence need a subscription; whether its actions are used up is told by the call.
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
