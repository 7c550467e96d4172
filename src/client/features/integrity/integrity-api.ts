import {
  type IntegrityFinding,
  type IntegritySummary,
  integrityCall,
  listFindingsCall,
  recheckFindingCall,
  restoreFindingCall,
} from "../../../shared/api/integrity.ts";
import { callApi, callJson } from "../../calls/api.ts";

export type FindingState = "open" | "closed";

/** Calls about damage in the archive, for admins only. */
export const integrityApi = {
  summary: (signal?: AbortSignal): Promise<IntegritySummary> => callJson(integrityCall, { signal }),
  findings: (
    query: { state: FindingState; limit: number; offset: number },
    signal?: AbortSignal,
  ): Promise<{ findings: IntegrityFinding[]; total: number }> =>
    callJson(listFindingsCall, { query, signal }),
  recheck: (id: string) => callApi(recheckFindingCall, { params: { id } }),
  restore: (id: string) => callApi(restoreFindingCall, { params: { id } }),
};
