import {
  type AuditEntry,
  type Grant,
  listGrantsCall,
  revokeGrantCall,
  shareStudyCall,
  studyAuditCall,
} from "../../../shared/api/studies.ts";
import { callApi, callJson } from "../../api.ts";

/** Calls about the people who may see a study. Only its owner and admins may make them; the study is named by its `id`. */
export const sharingApi = {
  share: (study: string, email: string) => callJson(shareStudyCall, { params: { study }, body: { email } }),
  grants: (study: string, signal?: AbortSignal): Promise<Grant[]> =>
    callJson(listGrantsCall, { params: { study }, signal }),
  revoke: (study: string, userId: string) => callApi(revokeGrantCall, { params: { study, userId } }),
  /** Newest first, at most 200. */
  audit: (study: string, signal?: AbortSignal): Promise<AuditEntry[]> =>
    callJson(studyAuditCall, { params: { study }, signal }),
};
