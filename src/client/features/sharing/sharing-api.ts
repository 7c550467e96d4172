import {
  type Invitation,
  inviteDoctorCall,
  listInvitationsCall,
  withdrawInvitationCall,
} from "../../../shared/api/invitations.ts";
import { type Grant, listGrantsCall, revokeGrantCall, shareStudyCall } from "../../../shared/api/studies.ts";
import { type AuditEntry, studyAuditCall } from "../../../shared/api/study-audit.ts";
import { callApi, callJson } from "../../calls/api.ts";

/** Calls about the people who may see a study. Only its owner and admins may make them; the study is named by its `id`. */
export const sharingApi = {
  share: (study: string, body: { email: string; asksForReport?: boolean }) =>
    callJson(shareStudyCall, { params: { study }, body }),
  invite: (study: string, body: { email: string; asksForReport?: boolean }): Promise<Invitation> =>
    callJson(inviteDoctorCall, { params: { study }, body }),
  invitations: (study: string, signal?: AbortSignal): Promise<Invitation[]> =>
    callJson(listInvitationsCall, { params: { study }, signal }),
  withdraw: (study: string, id: string) => callApi(withdrawInvitationCall, { params: { study, id } }),
  grants: (study: string, signal?: AbortSignal): Promise<Grant[]> =>
    callJson(listGrantsCall, { params: { study }, signal }),
  revoke: (study: string, userId: string) => callApi(revokeGrantCall, { params: { study, userId } }),
  /** Newest first, at most 200. */
  audit: (study: string, signal?: AbortSignal): Promise<AuditEntry[]> =>
    callJson(studyAuditCall, { params: { study }, signal }),
};
