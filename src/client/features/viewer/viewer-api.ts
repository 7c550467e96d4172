import { firstImageFrameCall, firstImageMetadataCall } from "../../../shared/api/first-image.ts";
import { assignStudyCall, type ViewerToken, viewerTokenCall } from "../../../shared/api/studies.ts";
import { callApi, callJson } from "../../calls/api.ts";
import type { AskFirstImage } from "../../visor/core/first-image.ts";

/** The parameter by which the address of OHIF's page names the series to begin with. */
export const FIRST_SERIES = "initialSeriesInstanceUID";

/** Calls that open a study for viewing. */
export const viewerApi = {
  assign: (study: string, userId: string) =>
    callApi(assignStudyCall, { params: { study }, body: { userId } }),
  token(studyId: string, userId: string): Promise<ViewerToken> {
    const data = btoa(JSON.stringify([{ userId, id: studyId }]));
    return callJson(viewerTokenCall, { query: { data } });
  },
  firstImage:
    (study: string): AskFirstImage =>
    (part, options) =>
      callApi(part === "frame" ? firstImageFrameCall : firstImageMetadataCall, {
        params: { study },
        ...options,
      }),
};
