import type { Deps } from "../../deps.ts";
import { createDicomwebRoutes } from "../dicomweb/dicomweb.routes.ts";
import { openCatalogue } from "../dicomweb/open-catalogue.ts";
import { assertViewerRetrieval, resolveViewerToken } from "./viewer-token.ts";

/** DICOMweb for viewing a token's studies; mounted at `/dicomweb/t/:token`. */
export function createViewerDicomwebRoutes(deps: Deps) {
  return createDicomwebRoutes({
    document: {
      room: "Viewer",
      retrievals: "Single instances without images only: a viewer looks, it does not download.",
      params: { token: "Of `GET /generate-token`." },
    },
    hasSearch: true,
    async resolve(c, series) {
      const { scope, found } = await resolveViewerToken(deps, c.req.param("token") ?? "", series);
      return openCatalogue(deps, scope, found);
    },
    allowRetrieval: async (_c, retrieval) => assertViewerRetrieval(retrieval),
  });
}
