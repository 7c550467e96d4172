import { type ViewerToken, viewerTokenSchema } from "../../../shared/api/studies.ts";
import { callApi, callJson } from "../../api.ts";

/** Calls that open a study for viewing. */
export const viewerApi = {
  assign: (studyId: string, userId: string) =>
    callApi(`/api/studies/${studyId}/assign`, { method: "POST", body: { userId } }),
  token(studyId: string, userId: string): Promise<ViewerToken> {
    const data = btoa(JSON.stringify([{ userId, id: studyId }]));
    return callJson(viewerTokenSchema, `/generate-token?${new URLSearchParams({ data })}`);
  },
};
