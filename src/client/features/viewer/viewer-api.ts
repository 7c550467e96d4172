import { assignStudyCall, type ViewerToken, viewerTokenCall } from "../../../shared/api/studies.ts";
import { callApi, callJson } from "../../api.ts";

/** Calls that open a study for viewing. */
export const viewerApi = {
  assign: (study: string, userId: string) =>
    callApi(assignStudyCall, { params: { study }, body: { userId } }),
  token(studyId: string, userId: string): Promise<ViewerToken> {
    const data = btoa(JSON.stringify([{ userId, id: studyId }]));
    return callJson(viewerTokenCall, { query: { data } });
  },
};
