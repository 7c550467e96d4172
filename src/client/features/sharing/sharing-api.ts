import {
  type AuditEntry,
  type Grant,
  listGrantsCall,
  revokeGrantCall,
  shareStudyCall,
  studyAuditCall,
} from "../../../shared/api/studies.ts";
import { callApi, callJson } from "../../api.ts";

/** Calls about who may see a study, which is named by its `id`; only its owner's and an admin's are answered. */
export const sharingApi = {
  share: (study: string, email: string) => callJson(shareStudyCall, { params: { study }, body: { email } }),
  grants: (study: string, signal?: AbortSignal): Promise<Grant[]> =>
    callJson(listGrantsCall, { params: { study }, signal }),
  revoke: (study: string, userId: string) => callApi(revokeGrantCall, { params: { study, userId } }),
  /** Newest first, at most 200. */
  audit: (study: string, signal?: AbortSignal): Promise<AuditEntry[]> =>
    callJson(studyAuditCall, { params: { study }, signal }),
};
