import type { Deps } from "../../deps.ts";
import { createDicomwebRoutes } from "../dicomweb/dicomweb.routes.ts";
import {
  assertStillViewed,
  type OtherTokens,
  openAsViewer,
  viewerParams,
  viewerProblems,
} from "./open-as-viewer.ts";
import { viewerRetrievalForbidden } from "./viewer.errors.ts";
import { assertViewerRetrieval } from "./viewer-token.ts";

/** DICOMweb for viewing a token's studies; mounted at `/dicomweb/t/:token`. */
export function createViewerDicomwebRoutes(deps: Deps, others: OtherTokens) {
  return createDicomwebRoutes({
    document: {
      room: "Viewer",
      retrievals: "Single instances without images only: a viewer looks, it does not download.",
      params: viewerParams,
      pathProblems: viewerProblems,
      retrievalProblems: [viewerRetrievalForbidden],
    },
    hasSearch: true,
    elapsedMs: deps.elapsedMs,
    assertStillVisible: (c) => assertStillViewed(deps, others, c),
    resolve: (c, series) => openAsViewer(deps, others, c, series),
    assertRetrievable: assertViewerRetrieval,
    allowRetrieval: async (_c, retrieval) => assertViewerRetrieval(retrieval),
  });
}
